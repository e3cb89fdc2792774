#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

/// As much of JSON schema as the schema of model files uses; an unknown keyword is a failure of the test.
namespace haltere {

class SchemaValidator {
 public:
  using Json = nlohmann::ordered_json;

  explicit SchemaValidator(const std::string& schema) : root_(Json::parse(schema)) {}

  const Json& schema() const { return root_; }
  /// Whether the document obeys the schema.
  bool accepts(const Json& document) const { return check(root_, document); }
  /// Keywords that the schema uses and this class does not know.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  bool check(const Json& schema, const Json& x) const {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [keyword, value] : schema.items())
      if (!check_keyword(keyword, value, schema, x)) return false;
    return true;
  }

  bool check_keyword(const std::string& keyword, const Json& value, const Json& schema, const Json& x) const {
    if (keyword == "$ref") return check(resolve(value.get<std::string>()), x);
    if (keyword == "type") return check_type(value, x);
    if (keyword == "const") return x == value;
    if (keyword == "enum") return std::find(value.begin(), value.end(), x) != value.end();
    if (keyword == "not") return !check(value, x);
    if (keyword == "if") return !check(value, x) || check(schema.at("then"), x);
    if (keyword == "anyOf")
      return std::any_of(value.begin(), value.end(), [&](const Json& s) { return check(s, x); });
    if (keyword == "allOf")
      return std::all_of(value.begin(), value.end(), [&](const Json& s) { return check(s, x); });
    if (keyword == "minimum") return !x.is_number() || x >= value;
    if (keyword == "exclusiveMinimum") return !x.is_number() || x > value;
    if (x.is_array() && !check_array_keyword(keyword, value, x)) return false;
    if (x.is_object() && !check_object_keyword(keyword, value, schema, x)) return false;
    static const std::vector<std::string> others{
        "$schema",      "title",    "description",   "$defs",    "then",       "items",
        "minItems",     "maxItems", "propertyNames", "required", "properties", "additionalProperties",
        "maxProperties"};
    if (std::find(others.begin(), others.end(), keyword) == others.end()) unknown_.push_back(keyword);
    return true;
  }

  bool check_array_keyword(const std::string& keyword, const Json& value, const Json& x) const {
    if (keyword == "items")
      return std::all_of(x.begin(), x.end(), [&](const Json& item) { return check(value, item); });
    if (keyword == "minItems") return x.size() >= value.get<std::size_t>();
    if (keyword == "maxItems") return x.size() <= value.get<std::size_t>();
    return true;
  }

  bool check_object_keyword(const std::string& keyword, const Json& value, const Json& schema,
                            const Json& x) const {
    if (keyword == "maxProperties") return x.size() <= value.get<std::size_t>();
    if (keyword == "required")
      return std::all_of(value.begin(), value.end(), [&](const Json& key) { return x.contains(key); });
    for (const auto& [key, item] : x.items()) {
      const bool known = schema.contains("properties") && schema["properties"].contains(key);
      if (keyword == "properties" && known && !check(value[key], item)) return false;
      if (keyword == "additionalProperties" && !known && !check(value, item)) return false;
      if (keyword == "propertyNames" && !check(value, Json(key))) return false;
    }
    return true;
  }

  static bool check_type(const Json& types, const Json& x) {
    const auto is = [&](const Json& type) {
      return (type == "null" && x.is_null()) || (type == "boolean" && x.is_boolean()) ||
             (type == "string" && x.is_string()) || (type == "number" && x.is_number()) ||
             (type == "integer" && x.is_number_integer()) || (type == "array" && x.is_array()) ||
             (type == "object" && x.is_object());
    };
    return types.is_array() ? std::any_of(types.begin(), types.end(), is) : is(types);
  }

  const Json& resolve(const std::string& reference) const {  // "#" or "#/$defs/joint"
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  Json root_;
  mutable std::vector<std::string> unknown_;
};

/// YAML as an editor sees it: plain scalars are null, booleans, numbers or strings.
inline SchemaValidator::Json to_json(const YAML::Node& node) {
  using Json = SchemaValidator::Json;
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const auto& item : node) list.push_back(to_json(item));
    return list;
  }
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& item : node) map[item.first.Scalar()] = to_json(item.second);
    return map;
  }
  if (node.IsNull()) return nullptr;
  if (node.Tag() == "!") return node.Scalar();  // quoted
  if (node.Scalar() == "true" || node.Scalar() == "false") return node.Scalar() == "true";
  int whole = 0;
  double number = 0;
  if (YAML::convert<int>::decode(node, whole)) return whole;
  if (YAML::convert<double>::decode(node, number)) return number;
  return node.Scalar();
}

}  // namespace haltere
