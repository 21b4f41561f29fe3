package key

import "github.com/dynastay/dynastay/internal/keytext"

// Custom is a value of the caller's own kind. encode gives the text of the value; decode sets the value from a text that
// encode may have given, and fails for what it cannot read. Neither needs to look for other spellings: [Parse] encodes
// what was decoded and compares.
//
// The text is refused if it is empty, has '#' or control characters, or is invalid UTF-8. Keys sort as their text does:
// a number or a time needs a fixed width to be in order.
func Custom(name string, encode func() (string, error), decode func(text string) error) Value {
	return Value{field: name, kind: customValue{write: encode, read: decode}}
}

type customValue struct {
	write func() (string, error)
	read  func(string) error
}

func (v customValue) encode() (string, error) {
	text, err := v.write()
	if err != nil {
		return "", err
	}
	return text, keytext.Check(text)
}

func (v customValue) decode(text string) error { return v.read(text) }
