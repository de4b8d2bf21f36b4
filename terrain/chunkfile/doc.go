// Package chunkfile reads and writes the world file: a terrain cut into tiles,
// each stored level by level, coarsest first, so that a program reads just the
// levels it wants and each only adds to what it has.
//
// This comment is the format. All numbers are little endian; floats are IEEE
// 754. Checksums are CRC-32C (Castagnoli). Version 2:
//
//	+--------+-------+-------+-----+-------+------+
//	| header | chunk | chunk | ... | chunk | tail |
//	+--------+-------+-------+-----+-------+------+
//
// Nothing else is in the file, so a checksum covers every byte: its own in the
// header, the header's for the tail, the tail's for each chunk. Version 1 had its
// directory before the chunks and another coding; it is read, but no longer written.
//
// # Header
//
//	  0       8        12         16          24         32
//	+-------+---------+----------+-----------+----------+-----------+
//	| magic | version | header   | file      | tail     | tail      |
//	|       | u32 2   | bytes 64 | bytes u64 | at u64   | bytes u64 |
//	+-------+---------+----------+-----------+----------+-----------+
//	  40          44      48          60         64
//	+-----------+-------+-----------+----------+
//	| CRC of    | kind  | zeros     | CRC of   |
//	| tail u32  | u32   | 12 bytes  | 0..59    |
//	+-----------+-------+-----------+----------+
//
// The magic is 89 'V' 'K' 'T' 0d 0a 1a 0a, which no transfer that meddles with
// text leaves whole. Kind 0 is a whole world. A world may also be a manifest (kind
// 2), which has no chunks but names files beside it, and these shards (kind 1): whole
// rows of tiles each, north to south, and readable by themselves.
//
// # Tail
//
// The tail is a partially compressed stream, see [StreamWriter]. What it holds,
// read as such a stream: the length of what comes next as u32, then what describes
// the world (compression starts behind it),
//
//	u32 width, height, tile size, radii R, layers K
//	u32 first column of tiles, first row, column behind the last, row behind the last
//	i32 min, max
//	f64 spacing, quantum, origin x, origin z, max error, mean
//	f32 × R radii
//	u8 flags: 1 a geotransform follows, 2 pixel is point
//	f64 × 6 geotransform, where there is one
//	string coordinate reference system, vertical unit, note; u16 length and bytes each
//	K × (string name, u8 bytes of a vertex)
//
// which are the fields of [terrain.World]; tiles are ceil((width-1)/(tile size-1))
// eastwards times the same of the height, at least one. Then come tables and directory, in a
// manifest the list of shards: u32 number, then each as 4 × u32 tiles as above, u64
// bytes of the file, u32 CRC of its tail, string name.
//
// # Directory
//
// An entry a tile, row by row from the north-west:
//
//	i32 base, min, max
//	u8 flags: 1 the tile has holes, 2 nodes follow
//	a level, finest first: f32 coefficient, u32 bytes of the chunk, u32 bytes of its
//	    heights, u32 CRC; then, before the next level, a layer: u32 bytes, u32 CRC
//	a node: u16 least, u16 greatest height above the base
//
// The levels and nodes of a tile size are those of [terrain.Layout].
//
// The chunks lie in the order of the tiles, in a tile from the coarsest level to
// the finest, each followed by its layers, without gaps: their places follow from
// their sizes. A level of 0 bytes is lost, and with it all finer ones.
//
// # Chunk
//
// A chunk holds the level samples of one level: those of the level's grid that
// no coarser level has. It is decoded with the coarser levels of its tile at
// hand and no other tile.
//
//	+-----------------------+-------------------------------------------+
//	| heights               | attributes                                |
//	+---------+-------------+---------+-----------+-------------+-------+
//	| centres | midpoints   | sky view| 2 streams | 4 streams   | holes |
//	|         |             |         | coefs     | normals     |       |
//	+---------+-------------+---------+-----------+-------------+-------+
//
// On a grid of just this level, n×n with n = 2m+1, the centres are the samples with two
// odd coordinates and the midpoints those with one, those with two even ones are
// known. The order of the level is: centres row by row; midpoints in even rows
// (between west and east) row by row; those in odd rows. The coarsest level has all its samples row
// by row in place of centres, and no midpoints. Sky view has the same two passes as
// heights, but the finest level has none, unless it is also the coarsest. The holes
// are one more stream of the finest level, whether its tile has some or not.
//
// # Passes
//
// A pass codes a residual of 16 bits for each of its samples, by asymmetric numeral
// systems with tables (Duda, arXiv:1311.2540) of 2048 states. It has one stream, from
// 4096 samples on four, which take turns. First come their lengths, 2 bytes each, from 65536
// samples on 3, then they themselves. Bits count
// from the lowest of the first byte. A stream begins with the state, 11 bits. Each residual
// takes its class's entry for the state: a token t, a number of bits that
// together with the entry's base are the next state, and low bits that follow: the residual is
// t·2^low + those. Token 255 means that the residual follows whole, 16 bits. The last state is 0.
//
// The tables are those of the world: 3 books (centres, midpoints, sky view) of 17
// classes. They begin with 9 × i16, how much sky view follows bumps (the gain), by
// level, finest first. Each
// table is a byte 0 if it is that of [DefaultTables], else 1 and the frequencies of 256 tokens, one
// byte each, or 255 and u16; they add up to 2048. Token s takes as many places as its
// frequency, one after the other, steps of 1283 (modulo 2048) apart from place 0
// on, in the order of tokens. The i-th of a token's places, in the order of places, with f its
// frequency and x = f+i, takes b = 12 - bit length of x bits on top of base x·2^b - 2048.
// Residuals of class c in the books of heights have max(0, c-5) low bits.
//
// The default table of class c, with e = 2^min(c, 5), counts max(1, 2^14 >> t/g) for each
// token t below min(255, 2e+8), where g is max(1, e/6) without its fraction, and 8 for token
// 255; in the book of sky view g is 2 and t is below 127. A frequency is count·2048/sum without its
// fraction, at least 1; what is then missing of 2048 goes one each to the tokens with the largest
// fractions, the first of equals first, and what is too much comes one by one from the most
// frequent, the first of equals.
//
// # Heights
//
// All arithmetic is that of integers unless it says otherwise; >> rounds down. h
// are heights above the base, steps a and b lead to a sample's nearest neighbours: (1, 1) and (-1, 1) from
// a centre, (1, 0) and (0, 1) from a midpoint. Ring 0 is the four samples at
// ±a and ±b; ring 1 the eight at ±2a±b and ±a±2b; ring 2 the four at ±3a and ±3b.
// S0, S1 and S2 are their sums, and
//
//	prediction  (81·S0 - 9·S1 + S2 + 128) >> 8, at least 0, at most 65535
//	class       bit length of (max - min of ring 0 + (|S1 - 2·S0| >> 3)), at most 16
//
// The residual is the difference modulo 2^16 as a signed number d, 2d or, if d is negative, -2d-1.
// Beyond the tile known samples go straight on, 2·first - second; centres do so from the first
// one outside on, which is such that the edge's middle on the border is the mean of
// it and the one inside.
//
// On the coarsest level a height is predicted as left + up - upper left, the only
// one of them on the first row and column, 0 for the first; the class is the bit length of r, 256
// for the first, then (3·r + 2·|d|) >> 2 of the one before.
//
// Samples beyond the rim of the source are clones of the rim's. One of which the level
// has a clone already has class 0 and residual 0 and copies that one, sky view, curvature and
// normal included: the last corner of its row or column where that is beyond the rim, else the
// first centre of its row or column that is. On the coarsest level none copies.
//
// # Attributes
//
// Sky view is kept as s of 6 bits, (259·s + 32) >> 6 of 255; 0 is a hole. Its
// prediction is the mean of ring 0, (sum+2) >> 2, plus bump·gain >> 12, at least 1, at most 63; the
// bump is the height less (S0+2) >> 2. On the coarsest level it is predicted as heights are,
// 63 for the first, at least 0, at most 63. Its class is that of the sample's height.
// On the finest level the prediction is the sky view, but for holes, which the last
// stream marks with 1.
//
// Curvature is derived: 128 on the coarsest level, on others c + [(1-|c-128|/128)²·
// bump·k·127], at least 0, at most 255, where c is the mean of ring 0, bump·k is held within ±1, k
// is 3 quanta over the spacing of the level's grid, and [] drops the fraction; in float32. Sky view and curvature beyond the tile are
// such that a sample on the border follows from the border alone.
//
// A coefficient is predicted as that of half the quantum times e plus the world's
// largest error, as a float64, by [terrain.CoefUp]. For a midpoint e = |2h - l - r|
// with l and r the ends of its edge; for a centre it is the largest of the e of the four midpoints
// around it and |2h - l - r| with l and r the ends of its diagonal, north-west to
// south-east where (x+z)/2 is odd, else the other. On the coarsest level the prediction is 0. The
// difference is coded as that of heights is; one stream has the low bytes, one the
// high ones.
//
// A normal is predicted from the rise over two grid steps, twice that over one on
// the border, by [SlopeNormal]; the differences of its first byte are a stream for
// all samples, 0 on the border, and one for the 4m on the border: in turn those of the first and the
// last row, west to east, then those of the first and the last column. Two such streams follow for its
// second byte. On the coarsest level the streams of the border are empty and the others have it.
//
// A stream has one byte a sample. It is cut into blocks of
// 65536, the last one shorter. A block is a 24-bit number, 4·length + method, and so
// many bytes:
//
//	method 0  the samples' bytes as they are
//	method 1  one byte, the value of all samples
//	method 2  a Huffman table as in RFC 8878, 4.2.1, then the bit streams of
//	          4.2.2: one for less than 1024 samples, four otherwise
//	method 3  a zstd frame (RFC 8878)
//
// A layer has a stream for each byte of a vertex: differences modulo 256 to the mean of
// ring 0, on the coarsest level to the sample before. Padding is coded as all else: a
// coefficient of a clone is not that of the rim.
//
// # Promises
//
// A file that is cut, changed or made up gives an error that names the chunk,
// never a panic, and takes no more memory than one tile needs, 64 MiB, and 16 times the
// file's own length. Versions are only ever added.
package chunkfile
