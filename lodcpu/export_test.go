package lodcpu

// Pack is what [Narrow] packs by.
var Pack = pack
