// Package streaming decides which levels of which tiles are in memory, reads
// them in the background, and keeps account of what is where.
//
// # Life of a level
//
//	Absent --request--> Preparing --read--> Prepared --take--> Uploading --reached--> Loaded
//	   ^                                    |      ^                                    |
//	   '------------- unprepare ------------'      '------ gone ------ Unloading <--unload
//
// That is how it goes when nothing is in the way. A level that is not wanted any more
// while a loader has it is Cancelled, and comes back as Absent or, wanted again, as
// Preparing. One that cannot be read is Failed until it is tried again, and one whose
// read does not return is Stuck until it does. Without the device, what the GPU had is
// Prepared. ARCHITECTURE.md has all of it as a diagram.
//
// Levels of a tile come and go in order: a level is asked for only when all
// coarser ones are prepared, and given up only after all finer ones. So three
// numbers say nearly everything about a tile: the level wanted (target), the
// finest one decoded in CPU memory (prepared) and the finest one that the
// graphics queue can read (loaded). What is loaded is drawn at once; a finer
// level replaces nothing, it only adds. What is given up is first not drawn any
// more, and has its memory on the GPU until no frame in flight reads it; then its
// CPU memory is given up.
//
// The coarsest level of every tile comes first, nearest tile first, so that
// there soon is something to see everywhere. Then comes what is expected to
// mend the largest error on the screen.
//
// # Which levels
//
// A [Strategy] says which level each tile should have, in [Manager.AutoUpdate], once a
// frame; it can be changed at any time. Strategies have the names of the OGRE article on
// asynchronous levels of detail (SoC 2012) where that has them: none, by which levels are
// what [Tile.Load], [Tile.IncreaseLevel] and [Tile.DecreaseLevel] ask for, and distance, the
// default. Any number of cameras share what is loaded.
//
// A [Manager] is the article's terrain group: one world. Any number of them live side by
// side. Tiles may come and go, see [Manager.Add] and [Manager.Remove].
//
// # Reading
//
// What is wanted waits on a board, from which loaders take what comes first at that moment:
// each update ranks it anew by error, nearness and whether it is in view, takes back what
// is not wanted any more, and what is worth less than something else where no more may
// wait. Of a [Ranged] source many reads are under way while few goroutines decode, and on a
// medium that makes one wait, what lies close together is one read. A read that fails
// is tried again, later each time; one that does not return is not waited for.
//
// # Budgets
//
// Bytes are counted exactly, also those that a loader fills, that wait for reuse, or that a
// frame in flight may read, and a [Budget] caps them: what does not fit waits. Where the
// cameras want more than fits, each tile has a goal that is coarser than its target.
//
// # What happens
//
// A [Listener] hears of levels that are prepared, loaded, unloaded, evicted or failed, and of
// budgets that bind. A [Trace] keeps each level's life as spans, beside frames. The goroutines
// and the methods of a frame are regions of package runtime/trace.
//
// # Tiles that change
//
// [Manager.Replace] makes another world the source, in which some tiles are others. They
// are read again beside what they are now, and their changed levels uploaded, by the
// same loaders and budget; [Manager.Exchange] then makes them all what they are to
// become, between two frames.
//
// # Goroutines
//
// One goroutine, the one that draws, calls all methods of a [Manager] and owns
// all its state; the functions of a [Listener] run on it. Loader goroutines
// touch nothing but the bytes of a file and the buffer they were handed; jobs change
// hands by an atomic state, and come back through a channel that has room for all. So no method but
// [Manager.Wait] and [Manager.Close] ever waits, and none allocates while
// nothing has to be loaded. Other goroutines may look at the vertices of a tile
// if [Options].Readers says when they have done so.
//
// # A frame
//
//	m.Unloaded(tile, level) // for each retired level that no frame reads any more
//	m.AutoUpdate(nil, eye)  // take what was read, ask for more
//	m.Evictions(retire)     // what nobody wants any more
//	m.Loaded(tile, level)   // for each upload that has arrived
//	m.Exchange(take)        // if tiles are to become others
//	m.Uploads(budget, put)  // what to send next
//	for _, t := range m.Tiles() {
//		// refine t.CPU with t.Near, draw
//	}
//
// The vertices of a [Tile] may move in AutoUpdate and Evictions: a goroutine that
// refines must be done with them by then.
package streaming
