package chunkfile

// Reseal makes all checksums of a file right again, as far as its header and
// directory still say where things are, and reports whether they do. Tests use
// it to reach what checksums otherwise protect.
func Reseal(b []byte) bool {
	if len(b) < prefixLen {
		return false
	}
	n, err := parsePrefix(b)
	if err != nil || n > len(b) {
		return false
	}
	count, each := int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:]))
	if each >= tileLen && count <= int64(len(b)-n)/each {
		dir := b[n : int64(n)+count*each]
		for at := int64(0); at < count*each; at += each {
			for l := at + tileLen; l+levelLen <= at+each; l += levelLen {
				off, size := le.Uint64(dir[l+4:]), uint64(le.Uint32(dir[l+12:]))
				if off <= uint64(len(b)) && size <= uint64(len(b))-off {
					le.PutUint32(dir[l+20:], checksum(b[off:off+size]))
				}
			}
		}
		le.PutUint32(b[32:], checksum(dir))
	}
	le.PutUint32(b[n-crcLen:], checksum(b[:n-crcLen]))
	return true
}

// TempName is where the file for path grows.
func TempName(path string) string { return tempName(path) }

// CoefUp and SlopeNormalFast are the predictions that have a slower twin.
func CoefUp(c float64) uint16 { return coefUp(c) }

func SlopeNormalFast(dx, dz int32, slope float64) [2]uint8 {
	return slopeNormal(dx, dz, slope)
}

// PackStream and UnpackStream code one stream.
func PackStream(src []byte) []byte {
	p := newPacker()
	return p.append(nil, src)
}

func UnpackStream(dst, src []byte) ([]byte, error) {
	u := newUnpacker()
	return u.read(dst, src)
}

// Kill leaves w as a killed program does.
func Kill(w *Writer) { w.file.Close() }
