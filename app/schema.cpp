#include "haltere/io/catalog/schema.h"

#include <string>

#include "app/output_file.h"
#include "app/verbs.h"

namespace haltere {

void add_schema(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("schema", "print the JSON schema of model files, for editors");
  verb->footer(
      "Example:\n"
      "  haltere schema > haltere.schema.json\n"
      "and as the first line of a model file, for editors with the YAML language server:\n"
      "  # yaml-language-server: $schema=haltere.schema.json");
  verb->callback([=] {
    *action = [] {
      write_output("-", make_schema() + "\n");
      return kSuccess;
    };
  });
}

}  // namespace haltere
