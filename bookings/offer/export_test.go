package offer

// Sign returns a token of version 1 with a valid signature, whatever its contents.
func (s *Sealer) Sign(raw []byte) string { return s.sign(version1, raw) }

// Sign2 is Sign for version 2.
func (s *Sealer) Sign2(raw []byte) string { return s.sign(version2, raw) }

// SignText is Sign for contents that are already encoded.
func (s *Sealer) SignText(contents string) string {
	text := version1 + "." + s.signs + "." + contents
	return text + "." + s.macs[s.signs](text)
}

// Encode returns the contents of the token of an offer.
var Encode = encode
