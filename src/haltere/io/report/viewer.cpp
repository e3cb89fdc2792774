#include "haltere/io/report/viewer.h"

#ifdef HALTERE_VIEWER_FILE
// the assembler takes the file as it is: no compiler reads its 0.8 MB (cmake/report.cmake)
asm(".pushsection .rodata\n"
    ".hidden haltere_viewer_begin\n"
    ".hidden haltere_viewer_end\n"
    ".globl haltere_viewer_begin\n"
    ".globl haltere_viewer_end\n"
    "haltere_viewer_begin:\n"
    ".incbin \"" HALTERE_VIEWER_FILE
    "\"\n"
    "haltere_viewer_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char haltere_viewer_begin[] __attribute__((visibility("hidden")));
extern const char haltere_viewer_end[] __attribute__((visibility("hidden")));
}
#endif

namespace haltere {

std::string_view viewer_page() {
#ifdef HALTERE_VIEWER_FILE
  return {haltere_viewer_begin, haltere_viewer_end};
#else
  return {};
#endif
}

}  // namespace haltere
