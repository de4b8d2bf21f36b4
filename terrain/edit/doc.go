// Package edit changes the heights of a world file while it is in use.
//
// A [Session] is an open world with edits on top. [Session.Set] gives a rectangle of
// samples new heights and repairs what follows from them, in the tiles around and
// nowhere else: coefficients, normals, curvature, bounds, and the radii of the world.
// What it makes is what a bake of the edited heights would make, bit by bit, with
// three exceptions. Sky view stays as it was baked but on the finest level, where it
// is derived from the heights, and is open where a hole is filled. Radii never
// shrink, so that the bound of the error holds. And the extremes of the world count
// the made-up heights of holes.
//
// A [Snapshot] is the world after an edit. It never changes, and any goroutine may
// read levels from it, while edits go on: it is a source of levels as a
// [chunkfile.Reader] is. Edited tiles are in memory as they would be in the file,
// about three bytes a sample, until [Session.Save] has written them; the others stay
// in the file.
//
// # Journal
//
// An edit is in the journal, a file beside the world named ".NAME.edits", before Set
// returns. A program that is killed loses none of them: [Open] goes on with them. The
// journal is what [Session.Undo] and [Session.Redo] live on, too. It is bounded, by
// [Options].JournalBytes: the oldest steps are folded into one state, and can no
// longer be undone. What of the edits themselves must stay until they are saved comes
// on top, 8 bytes a sample at most, before compression.
//
// It is a header of 48 bytes, then records. Numbers are little endian, checksums
// CRC-32C:
//
//	 0       8         12                   44       48
//	+-------+---------+--------------------+--------+
//	| magic | version | SHA-256 of the     | CRC of |
//	|       | u32 1   | world's header     | 0..43  |
//	+-------+---------+--------------------+--------+
//
//	 0        4         8         12
//	+--------+---------+---------+------+-----+
//	| length | CRC of  | CRC of  | kind | ... |
//	| u32    | 12..end | 0..7    | u8   |     |
//	+--------+---------+---------+------+-----+
//
// The length counts from 12 on. The header of a world has a checksum of all that the
// world holds, so that a journal never meets another world. Kinds are
//
//	1  edit    u32 x, z, width, height; a stream of the samples before, then after
//	2  undo    of the last step that is done
//	3  redo    of the last step that was undone
//	4  saved   SHA-256 of the header of the world that is about to take the place
//	5  folded  u32 x, z, width, height; a stream of the samples after
//
// A sample is an i32: 2·height, and 1 more in a hole. A stream is one of
// [chunkfile.StreamWriter], compressed, of the differences to the sample before.
//
// A last record that is not whole was never acknowledged, and is dropped. One that is
// damaged and has a whole one after it is an error, and so is one whose length is
// known and ends before the file.
//
// A save writes the new world beside the old one, notes it as saved, renames it into
// place and removes the journal. A journal whose world is the one that it says is
// saved has nothing more to say; with the world that it began with, all of its edits.
package edit
