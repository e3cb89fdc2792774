#pragma once

#include <string>
#include <vector>

#include "haltere/simulate/frame.h"

/// Frames as ParaView and other programs of VTK read them: XML files of polygons (.vtp), and one that names them with
/// their times (.pvd). Numbers are written as they are, in base64.
namespace haltere {

/// A sheet as quadrilaterals; seen from where they turn counter-clockwise the normal of a lattice points at the eye.
/// Cells have `circulation` and, of lattices, `pressure`; points of wakes have `steps`, how many ago they left the
/// edge.
std::string make_vtp(const VortexSheet& sheet, double t);

/// The axes of bodies, three lines each. Cells have `body`, counted from 0, and `axis`, 0 to 2.
std::string make_vtp_of_axes(const std::vector<Transform<double>>& bodies, double length, double t);

/// A file of a series: part 0, 1, ... of what is there at that time.
struct VtkPart {
  double t = 0;
  int part = 0;
  std::string file;
};

/// `comment` stands at its beginning.
std::string make_pvd(const std::vector<VtkPart>& parts, const std::string& comment);

}  // namespace haltere
