package streaming

// State says where one level of one tile is.
type State uint8

const (
	Absent    State = iota // not in memory
	Preparing              // being read and decoded by a loader
	Prepared               // decoded in CPU memory
	Uploading              // prepared, and on its way to the GPU
	Loaded                 // prepared, and readable by the graphics queue
	Failed                 // could not be read; to be tried again
	states
)

func (s State) String() string {
	return [states]string{"absent", "preparing", "prepared", "uploading", "loaded", "failed"}[s]
}

// event is what can happen to a level.
type event uint8

const (
	request event = iota // it is wanted, and a loader is free
	read                 // the loader delivers it
	drop                 // the loader is done with it, but nobody wants it any more
	fail                 // the loader could not read it
	take                 // the pipeline has copied it into staging memory
	reached              // the ticket of its upload is reached
	evict                // it has not been wanted for long enough
	lost                 // the device is gone, and all it held
	events
)

func (e event) String() string {
	return [events]string{"request", "read", "drop", "fail", "take", "reached", "evict", "lost"}[e]
}

// action is what the manager has to do about a step.
type action uint8

const (
	nothing    action = iota
	post              // hand the level to a loader
	adopt             // make the decoded samples part of the tile
	discard           // throw the buffer away
	report            // note the error and when to try again
	countGPU          // count its bytes on the GPU
	show              // count it as loaded
	free              // give back its CPU memory
	retire            // give back its CPU and GPU memory
	uncountGPU        // its bytes on the GPU do not exist any more
	refuse            // the event cannot happen in this state: whoever caused it is wrong
	actions
)

func (a action) String() string {
	return [actions]string{
		"nothing", "post", "adopt", "discard", "report", "count GPU", "show", "free", "retire", "uncount GPU", "refuse",
	}[a]
}

// next is the whole state machine: the state after e, and what to do about it.
// A level that is being read or uploaded is nobody's to evict: its loader, or
// the queue, still has it.
func (s State) next(e event) (State, action) {
	switch s {
	case Absent:
		switch e {
		case request:
			return Preparing, post
		case lost:
			return Absent, nothing
		case read, drop, fail, take, reached, evict:
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
		case lost:
			return Preparing, nothing
		case request, take, reached, evict:
			return Preparing, refuse
		}
	case Prepared:
		switch e {
		case take:
			return Uploading, countGPU
		case evict:
			return Absent, free
		case lost:
			return Prepared, nothing
		case request, read, drop, fail, reached:
			return Prepared, refuse
		}
	case Uploading:
		switch e {
		case reached:
			return Loaded, show
		case lost:
			return Prepared, uncountGPU
		case request, read, drop, fail, take, evict:
			return Uploading, refuse
		}
	case Loaded:
		switch e {
		case evict:
			return Absent, retire
		case lost:
			return Prepared, uncountGPU
		case request, read, drop, fail, take, reached:
			return Loaded, refuse
		}
	case Failed:
		switch e {
		case request:
			return Preparing, post
		case lost:
			return Failed, nothing
		case read, drop, fail, take, reached, evict:
			return Failed, refuse
		}
	}
	panic("streaming: no such state or event")
}
