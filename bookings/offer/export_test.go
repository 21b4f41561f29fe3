package offer

// Sign returns a token with a valid signature, whatever its contents.
func (s *Sealer) Sign(raw []byte) string { return s.sign(raw) }

// SignText is Sign for contents that are already encoded.
func (s *Sealer) SignText(contents string) string {
	text := tokenVersion + "." + s.signs + "." + contents
	return text + "." + s.macs[s.signs](text)
}

// Encode returns the contents of the token of an offer.
var Encode = encode
