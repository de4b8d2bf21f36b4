// Package chunkfile reads and writes the world file: a terrain cut into tiles,
// each stored level by level, coarsest first, so that a program reads just the
// levels it wants and each only adds to what it has.
//
// This comment is the format. All numbers are little endian; floats are IEEE
// 754. Checksums are CRC-32C (Castagnoli). Version 1:
//
//	+--------+-----------+-------+-------+-----+-------+
//	| header | directory | chunk | chunk | ... | chunk |
//	+--------+-----------+-------+-------+-----+-------+
//
// Nothing else is in the file, so a checksum covers every byte: its own in the
// header, the header's for the directory, the directory's for each chunk.
//
// # Header
//
//	  0       8        12         16          24      28          32
//	+-------+---------+----------+-----------+-------+-----------+
//	| magic | version | header   | file      | tiles | directory |
//	|       | u32     | bytes H  | bytes u64 | u32   | entry     |
//	|       |         | u32      |           |       | bytes u32 |
//	+-------+---------+----------+-----------+-------+-----------+
//	  32          36      40       44          48      52    56    60      64
//	+-----------+-------+--------+-----------+-------+-----+-----+-------+
//	| directory | width | height | tile size | radii | min | max | flags |
//	| CRC u32   | u32   | u32    | u32       | R u32 | i32 | i32 | u32 0 |
//	+-----------+-------+--------+-----------+-------+-----+-----+-------+
//	  64        72        80         88         96          104    112
//	+---------+---------+----------+----------+-----------+------+------------+---------+
//	| spacing | quantum | origin x | origin z | max error | mean | radii      | CRC of  |
//	| f64     | f64     | f64      | f64      | f64       | f64  | R × f32    | 0..H-5  |
//	+---------+---------+----------+----------+-----------+------+------------+---------+
//
// The magic is 89 'V' 'K' 'T' 0d 0a 1a 0a, which no transfer that meddles with
// text leaves whole. The fields after the checksum are those of
// [terrain.World]. Tiles are ceil((width-1)/(tile size-1)) eastwards times the
// same of the height, at least one.
//
// # Directory
//
// It follows the header: an entry a tile, row by row from the north-west, all of
// one size, so that the entry of a tile is found without reading the others.
//
//	  0      4   8   12     16    20    24
//	+------+---+---+------+-----+-----+---------------------------------+
//	| zoom | x | y | base | min | max | level 0 | level 1 | ... | L-1    |
//	| i32  |   |   | i32  |     |     |                                 |
//	+------+---+---+------+-----+-----+---------------------------------+
//
// with 24 bytes a level, finest first:
//
//	  0             4           12      16               20
//	+-------------+-----------+-------+----------------+-------+
//	| coefficient | offset in | bytes | bytes of the   | CRC   |
//	| f32         | file u64  | u32   | heights u32    | u32   |
//	+-------------+-----------+-------+----------------+-------+
//
// Zoom is 0. The chunks follow the directory in the order of its tiles, in a
// tile from the coarsest level to the finest, without gaps.
//
// # Chunk
//
// A chunk holds the level samples of one level: those of the level's grid that
// no coarser level has. It is decoded with the coarser levels of its tile at
// hand and no other tile.
//
//	+-------------------------------+------------------------------------+
//	| heights                       | attributes                         |
//	+---------------+---------------+-------+-----------+----------------+
//	| token stream  | low bits      | gain  | gain      | 6 streams      |
//	|               |               | sky   | curvature |                |
//	|               |               | i32   | i32       |                |
//	+---------------+---------------+-------+-----------+----------------+
//
// A stream has one byte a level sample, in blocks of 65536 samples, the last
// one shorter. A block is a 24-bit number, 4·length + method, and so many bytes:
//
//	method 0  the samples' bytes as they are
//	method 1  one byte, the value of all samples
//	method 2  a Huffman table as in RFC 8878, 4.2.1, then the bit streams of
//	          4.2.2: one for less than 1024 samples, four otherwise
//	method 3  a zstd frame (RFC 8878)
//
// Heights. Each height is predicted from those known (predict.go says how), and
// the difference modulo 2^16, as a signed number d, becomes u = 2d, or -2d-1 if
// d is negative. The roughness of the place gives a number of low bits k that
// are stored as they are; the token is u>>k. A token of 255 means that u stands
// among the low bits in full, as 16 bits. Low bits are packed from bit 0 of the
// first byte on in the order of prediction; zeros fill the last byte.
//
// Attributes, all as differences modulo 2^8 or 2^16 to a prediction (model.go):
// coefficient, zig-zag as above, low bytes and high bytes; normal u; normal v;
// sky view; curvature. The first four are in the order of ids ([terrain.Layout]),
// the last two in the order of prediction. On the finest level coefficients and
// normals follow from the heights, and only what lies beyond the tile's border
// makes a difference.
//
// # Promises
//
// A file that is cut, changed or made up gives an error that names the chunk,
// never a panic, and no more memory than the file's own length and one tile
// need. Versions are only ever added.
package chunkfile
