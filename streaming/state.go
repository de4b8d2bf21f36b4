package streaming

// State says where one level of one tile is.
type State uint8

const (
	Absent    State = iota // not in memory
	Preparing              // asked for: waiting for a loader, being read or decoded
	Cancelled              // a loader has it still, but nobody wants it any more
	Stuck                  // its read has not returned in time
	Failed                 // could not be read; to be tried again
	Prepared               // decoded in CPU memory
	Uploading              // prepared, and on its way to the GPU
	Loaded                 // prepared, and readable by the graphics queue
	Unloading              // prepared, not drawn any more, but frames in flight may read the GPU's copy
	states
)

func (s State) String() string {
	return [states]string{
		"absent", "preparing", "cancelled", "stuck", "failed", "prepared", "uploading", "loaded", "unloading",
	}[s]
}

// event is what can happen to a level.
type event uint8

const (
	request   event = iota // it is wanted, and there is room for one more
	cancel                 // nobody wants it any more, but a loader has it
	read                   // the loader delivers it
	drop                   // the loader gives it back unread
	fail                   // the loader could not read it
	expire                 // the loader takes too long
	take                   // the pipeline has copied it into staging memory
	reached                // the ticket of its upload is reached
	unload                 // it has not been wanted for long enough, or its room is needed
	gone                   // no frame reads the GPU's copy any more
	unprepare              // its CPU memory is given up
	lost                   // the device is gone, and all it held
	events
)

func (e event) String() string {
	return [events]string{
		"request", "cancel", "read", "drop", "fail", "expire", "take", "reached", "unload", "gone", "unprepare", "lost",
	}[e]
}

// action is what the manager has to do about a step.
type action uint8

const (
	nothing    action = iota
	post              // hand the level to the loaders
	call              // tell its loader not to go on
	resume            // tell its loader to go on after all
	adopt             // make the decoded samples part of the tile
	discard           // throw the buffer away
	report            // note the error and when to try again
	abandon           // the same, and do without that loader
	countGPU          // count its bytes on the GPU
	show              // count it as loaded
	hide              // it is not drawn from here on
	free              // give back its CPU memory
	uncountGPU        // its bytes on the GPU do not exist any more
	refuse            // the event cannot happen in this state: whoever caused it is wrong
	actions
)

func (a action) String() string {
	return [actions]string{
		"nothing", "post", "call", "resume", "adopt", "discard", "report", "abandon", "count GPU", "show", "hide", "free",
		"uncount GPU", "refuse",
	}[a]
}

// next is the whole state machine: the state after e, and what to do about it.
// A level that is being read or uploaded is nobody's to give up: its loader, or
// the queue, still has it. It does nothing itself.
func (s State) next(e event) (State, action) {
	switch s {
	case Absent:
		switch e {
		case request:
			return Preparing, post
		case lost:
			return Absent, nothing
		case cancel, read, drop, fail, expire, take, reached, unload, gone, unprepare:
			return Absent, refuse
		}
	case Preparing:
		switch e {
		case read:
			return Prepared, adopt
		case drop:
			return Absent, discard
		case fail:
			return Failed, report
		case cancel:
			return Cancelled, call
		case expire:
			return Stuck, abandon
		case lost:
			return Preparing, nothing
		case request, take, reached, unload, gone, unprepare:
			return Preparing, refuse
		}
	case Cancelled:
		switch e {
		case read, drop, fail:
			return Absent, discard
		case request:
			return Preparing, resume
		case expire:
			return Stuck, abandon
		case lost:
			return Cancelled, nothing
		case cancel, take, reached, unload, gone, unprepare:
			return Cancelled, refuse
		}
	case Stuck:
		switch e {
		case read, drop, fail:
			return Failed, discard
		case lost:
			return Stuck, nothing
		case request, cancel, expire, take, reached, unload, gone, unprepare:
			return Stuck, refuse
		}
	case Failed:
		switch e {
		case request:
			return Preparing, post
		case drop:
			return Absent, nothing
		case lost:
			return Failed, nothing
		case cancel, read, fail, expire, take, reached, unload, gone, unprepare:
			return Failed, refuse
		}
	case Prepared:
		switch e {
		case take:
			return Uploading, countGPU
		case unprepare:
			return Absent, free
		case lost:
			return Prepared, nothing
		case request, cancel, read, drop, fail, expire, reached, unload, gone:
			return Prepared, refuse
		}
	case Uploading:
		switch e {
		case reached:
			return Loaded, show
		case lost:
			return Prepared, uncountGPU
		case request, cancel, read, drop, fail, expire, take, unload, gone, unprepare:
			return Uploading, refuse
		}
	case Loaded:
		switch e {
		case unload:
			return Unloading, hide
		case lost:
			return Prepared, uncountGPU
		case request, cancel, read, drop, fail, expire, take, reached, gone, unprepare:
			return Loaded, refuse
		}
	case Unloading:
		switch e {
		case gone, lost:
			return Prepared, uncountGPU
		case request, cancel, read, drop, fail, expire, take, reached, unload, unprepare:
			return Unloading, refuse
		}
	}
	panic("streaming: no such state or event")
}
