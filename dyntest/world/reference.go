package world

import "io"

// A booking's reference ends in six characters of an alphabet of 32.
const (
	referenceLength = 6
	references      = 1 << (5 * referenceLength)
)

// reference returns the bytes to draw the booking's reference from. It is a permutation of all references: two bookings
// never have the same one, although they do not know of each other. A Feistel network is a permutation whatever its
// rounds do.
func (w *World) reference(number int) [referenceLength]byte {
	const half, mask = 15, 1<<15 - 1
	left, right := uint64(number)>>half, uint64(number)&mask
	for round := range uint64(4) {
		left, right = right, left^mix(w.opts.Seed^mix(uint64(forReferences)<<32|round<<half|right))&mask
	}
	permuted := left<<half | right
	var drawn [referenceLength]byte
	for i := range drawn {
		drawn[i] = byte(permuted >> (5 * (referenceLength - 1 - i)) & 31)
	}
	return drawn
}

// source returns the bytes in left, for [dynastay.Options.Rand].
type source struct{ left []byte }

func (s *source) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}
