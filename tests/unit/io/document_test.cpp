#include "haltere/io/model/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kFile = "m.yaml";

/// The document, and its problems as text.
struct Parsed {
  explicit Parsed(const std::string& text) {
    ProblemList list;
    root = parse_document(text, &kFile, &list);
    try {
      list.throw_errors();
    } catch (const InputError& error) {
      problems = error.what();
    }
  }
  std::optional<YamlNode> root;
  std::string problems;
};

std::string repeat(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() + text.size() <= bytes) all += text;
  return all;
}

TEST(Document, KeepsOrderAndPlaces) {
  const Parsed parsed("b: 1\na:\n  - x\n  - 'y z'\n");
  ASSERT_TRUE(parsed.root);
  ASSERT_EQ(parsed.root->children.size(), 2u);
  EXPECT_EQ(parsed.root->children[0].key, "b");
  const YamlNode& list = parsed.root->children[1];
  EXPECT_EQ(list.key_mark.line, 2);
  ASSERT_TRUE(list.is_sequence());
  EXPECT_EQ(list.children[1].text, "y z");
  EXPECT_TRUE(list.children[1].quoted);
  EXPECT_EQ(list.children[1].mark.line, 4);
  // the first letter inside the quotes: column 6, counted by hand
  EXPECT_EQ(list.children[1].mark_at(0).column, 6);
  EXPECT_EQ(list.children[1].mark_at(2).column, 8);
}

TEST(Document, TextThatIsFoldedHasNoColumnsInside) {
  const Parsed parsed("a: >\n  one\n  two\n");
  ASSERT_TRUE(parsed.root);
  EXPECT_EQ(parsed.root->children[0].text_column, 0);
}

TEST(Document, NamesBothLinesOfADuplicateKey) {
  const Parsed parsed("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(parsed.problems, "m.yaml:3:1: the key 'a' stands here and in line 1; remove one of them");
  EXPECT_TRUE(parsed.root) << "reading goes on";
}

TEST(Document, MergeKeyFillsWhatTheMapLacks) {
  const Parsed parsed("base: &b {x: 1, y: 2}\nother: &o {y: 5, z: 6}\nall: {<<: [*b, *o], x: 9}\n");
  ASSERT_TRUE(parsed.root) << parsed.problems;
  const YamlNode* all = parsed.root->find("all");
  ASSERT_NE(all, nullptr);
  ASSERT_EQ(all->children.size(), 3u);
  EXPECT_EQ(all->find("x")->text, "9");
  EXPECT_EQ(all->find("y")->text, "2") << "the first base wins";
  EXPECT_EQ(all->find("z")->text, "6");
}

TEST(Document, MergeKeyNeedsAMap) {
  EXPECT_THAT(Parsed("a: &x 3\nb: {<<: *x}\n").problems, HasSubstr("`<<` needs a map, not '3'"));
}

TEST(Document, AliasesAreCopies) {
  const Parsed parsed("a: &x [1, 2]\nb: *x\n");
  ASSERT_TRUE(parsed.root);
  EXPECT_EQ(parsed.root->find("b")->children.size(), 2u);
}

TEST(Document, BillionLaughsEndInAProblem) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) text += ", " + alias;
    text += "]\n";
  }
  EXPECT_THAT(Parsed(text).problems, HasSubstr("more than 1000000 values"));
}

TEST(Document, ALongTextUsedManyTimesEndsInAProblem) {
  // 100 kB that would become a gigabyte
  const std::string text = "- &a '" + repeat("word ", 50'000) + "'\n" + repeat("- *a\n", 100'000);
  EXPECT_THAT(Parsed(text).problems,
              HasSubstr("more than 64 MiB of text, aliases counted as often as they are used"));
}

TEST(Document, AnAliasInsideItsOwnBlockIsAProblem) {
  EXPECT_THAT(Parsed("a: &x [*x]\n").problems, StartsWith("m.yaml:1:8: an alias stands inside the block"));
}

TEST(Document, DeepNestingIsAProblemNotACrash) {
  for (const char* unit : {"[", "{", "- ", "? ", "{a: ", "[a, "})
    EXPECT_THAT(Parsed(repeat(unit, 100'000)).problems, HasSubstr("nested more than 64 deep")) << unit;
}

TEST(Document, SixtyFourLevelsAreAllowed) {
  EXPECT_TRUE(Parsed(std::string(64, '[') + std::string(64, ']')).root);
  EXPECT_FALSE(Parsed(std::string(65, '[') + std::string(65, ']')).root);
}

TEST(Document, OneFileHoldsOneDocument) {
  EXPECT_THAT(Parsed("a: 1\n---\nb: 2\n").problems, HasSubstr("one file holds one document"));
  EXPECT_TRUE(Parsed("---\na: 1\n...\n").root);
}

TEST(Document, EmptyFilesAreNamed) {
  for (const char* text : {"", "\n\n", "# nothing\n"})
    EXPECT_THAT(Parsed(text).problems, HasSubstr("the file is empty")) << text;
}

TEST(Document, ByteOrderMarkIsPassedOver) {
  const Parsed parsed(
      "\xEF\xBB\xBF"
      "a: 1\n");
  ASSERT_TRUE(parsed.root) << parsed.problems;
  EXPECT_EQ(parsed.root->children[0].key, "a");
}

TEST(Document, WindowsLineEndsAreRead) {
  const Parsed parsed("a: 1\r\nb: x y\r\n");
  ASSERT_TRUE(parsed.root) << parsed.problems;
  EXPECT_EQ(parsed.root->find("b")->text, "x y");
}

TEST(Document, Utf16IsNamed) {
  EXPECT_THAT(Parsed(std::string("\xFF\xFE"
                                 "a\0:\0",
                                 6))
                  .problems,
              HasSubstr("the file is UTF-16; save it as UTF-8"));
}

TEST(Document, BytesThatAreNoTextHaveAPlace) {
  EXPECT_EQ(Parsed("a: 1\nb: \xC3(\n").problems,
            "m.yaml:2:4: the byte 0xC3 is not UTF-8; is this a text file?");
  EXPECT_THAT(Parsed("a: \xC0\xAF\n").problems, HasSubstr("0xC0")) << "overlong";
  EXPECT_THAT(Parsed("a: \xED\xA0\x80\n").problems, HasSubstr("0xED")) << "surrogate";
  EXPECT_THAT(Parsed("a: \xF4\x90\x80\x80\n").problems, HasSubstr("0xF4")) << "beyond Unicode";
  EXPECT_THAT(Parsed("a: \xE2\x82").problems, HasSubstr("0xE2")) << "cut off";
  EXPECT_THAT(Parsed(std::string("a: b\0c\n", 7)).problems, StartsWith("m.yaml:1:5: control character 0x00"));
  EXPECT_TRUE(Parsed("a: \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x9D\n").root);
}

TEST(Document, TabsThatIndentAreNamed) {
  EXPECT_EQ(Parsed("a:\n\tb: 1\n").problems,
            "m.yaml:2:1: a tab indents this line; YAML is indented with spaces");
  EXPECT_TRUE(Parsed("a:\t1\n\t\n\t# comment\n").root);
}

TEST(Document, BrokenYamlHasALineAndAHint) {
  EXPECT_THAT(Parsed("a: 1\nb: \"open\n").problems, StartsWith("m.yaml:2:4: this quote is not closed"));
  EXPECT_THAT(Parsed("a: 'it''s\n").problems, StartsWith("m.yaml:1:4: this quote is not closed"));
  EXPECT_TRUE(Parsed("a: 'it''s'\nb: \"x\\\"y\"\n").root);
  EXPECT_THAT(Parsed("a: [1, 2\n").problems, StartsWith("m.yaml:2:1: this is not YAML"));
  EXPECT_THAT(Parsed("a: b: c\n").problems, StartsWith("m.yaml:1:5: this is not YAML: illegal map value"));
  EXPECT_THAT(Parsed("a: {b: link{i}, c: 1}\n").problems, HasSubstr("into quotes"));
  EXPECT_THAT(Parsed("a: *nothing\n").problems, StartsWith("m.yaml:1:4:"));
  EXPECT_THAT(Parsed("a: !!python/object x\n").problems, HasSubstr("the tag"));
  EXPECT_THAT(Parsed("{[1]: 2}\n").problems, HasSubstr("a key must be a word"));
}

TEST(Document, HugeFilesAreNotRead) {
  EXPECT_EQ(Parsed(std::string(kLargestFile + 1, 'a')).problems,
            "m.yaml: the file is larger than 4 MiB; use `repeat` for many equal parts");
}

// nothing may be quadratic in the number of lines (a quadratic step would take minutes)
TEST(Document, LargeFilesOfManyLinesAreRead) {
  const auto fill = [](const std::string& line) { return repeat(line, 2'000'000); };
  for (const std::string& text :
       {"a: x\n" + fill("  word\n"), "a: \"x\n" + fill("  word\n") + "\"\n",
        "a: 'x\n" + fill("  word\n") + "'\n", "a: |\n" + fill("  word\n"), "a: >\n" + fill("  word\n"),
        fill("%WORD word\n") + "---\na: b\n", fill("- &b c\n"), fill("-  \n"), fill("# word\n") + "a: b\n",
        fill("\n") + "a: b\n"}) {
    const Parsed parsed(text);
    EXPECT_TRUE(parsed.root) << text.substr(0, 20) << parsed.problems;
  }
  EXPECT_THAT(Parsed(fill("---\n")).problems, HasSubstr("one file holds one document"));
}

TEST(Document, ATabInTheLastOfManyLinesIsFound) {
  EXPECT_THAT(Parsed(repeat("a:\n", 300'000) + "\tb: 1\n").problems,
              StartsWith("m.yaml:100001:1: a tab indents this line"));
  EXPECT_TRUE(Parsed("a: 1\n\t\n \t# word\nb: x\ty\n").root);
}

TEST(Document, GarbageEndsSoon) {
  // patterns that made parsers slow or crash; what counts is that each returns
  for (const char* unit :
       {"&a ", "*a ", "!", "\"", "| ", "---\n", "%", ": ", "[]", "{}", "a: &x [*x]\n", "<<: ", "`", "}"})
    EXPECT_FALSE(Parsed(repeat(unit, 50'000)).root) << unit;
}

}  // namespace
}  // namespace haltere
