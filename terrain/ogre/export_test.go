package ogre

// Deflate makes a zlib stream.
func Deflate(src []byte) []byte { return new(compressor).deflate(nil, src) }
