#pragma once

#include "haltere/io/result/hdf5.h"
#include "haltere/io/result/sealed_file.h"

namespace haltere {

/// Properties for H5Fcreate and H5Fopen: all bytes of the file come from the store, and go to it. The name of
/// the file then means nothing. The store must live until the file is closed.
Hdf5Handle make_hdf5_access(ByteStore* store);

}  // namespace haltere
