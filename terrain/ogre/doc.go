// Package ogre reads the terrain files of the OGRE engine (1.7 to 14), versions
// 1 and 2, and the definitions of terrain groups, writes version 2, and converts
// to and from height fields.
//
// This comment is the format. It was found by reading and writing files with
// OGRE 1.12; what OGRE's own reader does with bad ones is stated where a writer
// must know it. All numbers are little endian, floats are IEEE 754 of 32 bits,
// nothing is padded. A string is a u32 byte count and the bytes.
//
// # Chunks
//
//	  0      4         6       10         14
//	+------+---------+--------+----------+---------+
//	| id   | version | length | checksum | payload |
//	| u32  | u16     | u32    | u32      |         |
//	+------+---------+--------+----------+---------+
//
// An id is four letters in file order, "TERR" for one. The length is that of the
// payload with the headers of nested chunks, without this header. The checksum
// covers id, version and length and nothing else; it is Hsieh's SuperFastHash of
// each field in turn, the hash of one field being the seed of the next, and the
// byte count of a field where the seed is 0. A reader that does not need all of a
// payload goes on at its end, so payloads may grow.
//
// A file begins with a chunk of id 1, version 1 and one byte, 0 where numbers that
// OGRE calls Real have 32 bits. Big-endian files and 64-bit ones exist nowhere
// but in theory and are refused here.
//
// # Version 2
//
//	+--------+------+------------------------------------------------+
//	| header | TERR | payload                                        |
//	| 15     | 14   | +------+------+-----+------+------+----------+ |
//	| bytes  | v2   | | TGIN | TLDA | ... | TLDA | TLDA | tail     | |
//	|        |      | | v1   | v1   |     | v1   | v1   | (zlib)   | |
//	|        |      | +------+------+-----+------+------+----------+ |
//	+--------+------+------------------------------------------------+
//
// TGIN is the general information, in a chunk of its own:
//
//	  0       1      3            7           9           11   15   19   23
//	+-------+------+------------+-----------+-----------+----+----+----+
//	| align | size | world size | max batch | min batch | x  | y  | z  |
//	| u8    | u16  | f32        | u16       | u16       | f32, centre  |
//	+-------+------+------------+-----------+-----------+----+----+----+
//
// Alignments are 0 for X_Z, 1 for X_Y, 2 for Y_Z. The size is in samples a side;
// it and both batch sizes are 2^k+1, min batch ≤ max batch ≤ size, max batch ≤
// 129. There are log2((size-1)/(min batch-1))+1 levels of detail.
//
// Each TLDA holds one level, the coarsest first. Its payload is one zlib stream
// (OGRE writes it at level 6) of 2n floats, n heights and then n deltas:
//
//	+-----------+-----------+
//	| heights   | deltas    |
//	| n × f32   | n × f32   |
//	+-----------+-----------+
//
// Level l has the samples whose column and row are multiples of 2^l and are not
// both multiples of 2^(l+1); the coarsest level has them all. They are in rows,
// and here row 0 is the south one: the smallest y of the terrain's own plane.
//
// The tail is one zlib stream without a chunk header, up to the end of TERR:
//
//	+------+-----------+------------+--------+------+-----+------+----------+
//	| TDCL | layers    | edge of    | blend  | TDDA | ... | TDDA | quadtree |
//	| v1   | u8, n ×   | the blend  | maps   | v1   |     | v1   | n × f32  |
//	|      | TLIN v1   | maps u16   |        |      |     |      |          |
//	+------+-----------+------------+--------+------+-----+------+----------+
//
//	TDCL  u8, n × TSAM v1, u8, n × TSEL v1
//	TSAM  string alias, u8 pixel format
//	TSEL  u8 sampler, u8 semantic, u8 first channel, u8 channels
//	TLIN  f32 world size, a string for each TSAM
//	TDDA  string name, u16 edge, pixels
//
// Blend maps have edge × edge × 4 bytes; layer k ≥ 1 is byte (k-1)%4 of the pixels
// of map (k-1)/4. There are (layers-2)/4+1 of them, and one even where there are
// fewer than two layers; but none if OGRE saved a terrain that it had prepared and
// not loaded, which only shows by what follows, and which OGRE itself waits for
// without end when it reads such a file. The derived maps of TDDA are normalmap and colourmap (3
// bytes a pixel), lightmap (1) and compositemap (4). Rows of images begin in the
// north.
//
// The quadtree has the largest height error of every node and level, in a walk
// that visits a node before its children, which are south-west, south-east,
// north-west, north-east. A leaf spans max batch samples and has a number for each
// level from 0 to log2((max batch-1)/(min batch-1)); other nodes have one.
//
// OGRE takes a payload that is no zlib stream as it is, so this package does too,
// where the length is exactly right.
//
// Two traps wait for writers. OGRE stops looking for TDDA when its position in
// the inflated tail equals the file offset of the end of TERR; a byte after one
// of the zlib streams, which no reader looks at, moves that end. And a quadtree
// that begins with the bits of "TDDA" is taken for a chunk; the number is raised
// by its last bit.
//
// # Version 1
//
// TERR v1, by OGRE 1.7 and 1.8, has the same parts without the chunks of levels:
//
//	+---------+---------------+--------------+---------------+----------+
//	| general | heights       | TDCL to TDDA | deltas        | quadtree |
//	| 23      | size² × f32   | as above     | size² × f32   | as above |
//	+---------+---------------+--------------+---------------+----------+
//
// OGRE 1.8 compresses the whole file as one zlib stream, and has (layers-1)/4+1
// blend maps.
//
// # Deltas
//
// A delta is how far a sample moves when its level goes: the height of the next
// coarser surface there less its own. [Terrain.Derive] says how both it and the
// quadtree follow from the heights; OGRE trusts the file.
//
// # Groups
//
// A group definition is the header and one chunk, TERG v1:
//
//	u32 align, u16 size, f32 world size,
//	string prefix, string extension, string resource group,
//	f32 × 3 centre of slot (0, 0), u32 strategy of automatic levels,
//	f32 constant height, f32 input bias, f32 input scale,
//	u16 max batch, u16 min batch, TDCL, layers as above
//
// OGRE 1.8 and before leave out the strategy under the same version; where TDCL
// begins tells.
//
// # What is written
//
// A file that OGRE wrote comes out byte for byte as it went in: [Write] makes the
// choices that zlib makes at level 6. Not kept are what OGRE's own save does not
// keep either: another level of compression, payloads without compression,
// bytes between a zlib stream and the end of its chunk, bytes after the quadtree
// or after TERR, and version 1, which becomes version 2. A file that OGRE wrote
// into one of its own traps comes out with the trap removed.
//
// # Promises
//
// A file that is cut, changed or made up gives an error that names the place,
// never a panic, and no more memory than the sizes it states, which are checked
// against limits and against its length first.
package ogre
