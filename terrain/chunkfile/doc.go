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
// A stream has one byte a level sample, in the order of prediction, which owes
// nothing to the order of vertices in memory: on a grid of just this level the
// centres (both coordinates odd) row by row, then the edge midpoints row by
// row; on the coarsest level all samples row by row. It is cut into blocks of
// 65536 samples, the last one shorter. A block is a 24-bit number, 4·length +
// method, and so many bytes:
//
//	method 0  the samples' bytes as they are
//	method 1  one byte, the value of all samples
//	method 2  a Huffman table as in RFC 8878, 4.2.1, then the bit streams of
//	          4.2.2: one for less than 1024 samples, four otherwise
//	method 3  a zstd frame (RFC 8878)
//
// Heights. Each height is predicted from those known, and the difference modulo
// 2^16, as a signed number d, becomes u = 2d, or -2d-1 if d is negative. The
// roughness of the place gives a number k of low bits that are stored as they
// are, k = max(0, bit length of the roughness - 5); the token is u>>k. A token of
// 255 means that u stands among the low bits in full, as 16 bits. Low bits are
// packed from bit 0 of the first byte on; zeros fill the last byte.
//
// Attributes, all as differences modulo 2^8 or 2^16 to a prediction, in the
// order of the streams: coefficient, u as above, low bytes and high bytes; normal
// u; normal v; sky view; curvature.
//
// # Prediction
//
// All arithmetic is that of integers unless it says otherwise; >> rounds down.
// Positions are those of the level's own grid of n×n samples, h are heights
// above the base. A sample has steps a and b to its neighbours: (1, 1) and (-1, 1)
// for a centre, (1, 0) and (0, 1) for a midpoint. Ring 0 is the four samples at
// ±a and ±b; ring 1 the eight at ±2a±b and ±a±2b; ring 2 the four at ±3a and ±3b.
// S0, S1 and S2 are their sums of heights, and
//
//	prediction  (81·S0 - 9·S1 + S2 + 128) >> 8, at least 0, at most 65535
//	roughness   max - min of ring 0 + |S1 - 2·S0| >> 3
//
// where both coordinates are at least 3 and at most n-4, and n is above 8;
// elsewhere (S0+2) >> 2 and max - min of ring 0. On the tile's border the two
// neighbours outside count as the two inside. On the coarsest level a height is
// predicted as left + up - upper left, the only one of them on the first row and
// column, 0 for the first; the roughness is 256 for the first, then (3·roughness +
// 2·|d|) >> 2 of the one before.
//
// Sky view and curvature v are predicted as m = (sum of ring 0 + 2) >> 2 plus
// bump·gain >> 16, or bump·weight·gain >> 24 for curvature, at least 0, at most
// 255. The bump is the height less (S0+2) >> 2; the weight is (127-min(|m-128|,
// 127))²·256/127². On the coarsest level the number sky view + 65536·curvature is
// predicted as the heights are there, and both halves differ from its two halves.
//
// A coefficient is predicted as that of half the quantum times e, as a float64,
// by [terrain.CoefUp]. For a midpoint e = |2h - l - r| with l and r the ends of
// its edge; for a centre it is the largest of the e of the four midpoints around
// it and |2h - l - r| with l and r the ends of its diagonal, north-west to
// south-east where x and z agree in their second bit, else the other; 0 where
// both coordinates are even. On the finest level that is the coefficient.
//
// A normal is predicted from the rise over two grid steps eastwards and
// southwards, twice that over one step on the tile's border, times the quantum
// over twice the spacing of the level's grid, as float64: with x and z so made
// and s = 127/(|x|+1+|z|) its bytes are the whole parts of 128.5 - (x+z)·s and
// 128.5 - (x-z)·s. On the finest level that is the normal, but for the border,
// whose other side another tile has, and for ties of rounding.
//
// # Promises
//
// A file that is cut, changed or made up gives an error that names the chunk,
// never a panic, and no more memory than the file's own length and one tile
// need. Versions are only ever added.
package chunkfile
