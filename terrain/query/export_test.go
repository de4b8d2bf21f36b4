package query

// Kept returns the number of tiles that s holds, and may hold.
func (s *Sampler) Kept() (now, most int) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return len(s.cache.entries), s.cache.most
}

// EntryBytes is the memory of a tile that s holds.
func (s *Sampler) EntryBytes() int64 { return entryBytes(s.g.layout) }

// Enter begins a query of l, Leave ends it.
func (l *Loaded) Enter() Visit  { return l.enter() }
func (l *Loaded) Leave(v Visit) { l.leave(v) }

type Visit = visit
