package edit

// SavedRecord is the record that a save of the world at path puts into the journal.
func SavedRecord(path string) ([]byte, error) {
	id, err := identity(path)
	return record(append([]byte{kindSaved}, id[:]...)), err
}

// RecordsOf returns where the records of a journal end.
func RecordsOf(b []byte) (ends []int) {
	for at := headerLen; at < len(b); {
		n := frame(b[at:])
		if n == 0 {
			break
		}
		at += n
		ends = append(ends, at)
	}
	return ends
}

// AfterReplace makes saves call f when the new world is in place and the journal is
// still there.
func AfterReplace(f func()) { afterReplace = f }
