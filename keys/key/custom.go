package key

import "github.com/dynastay/dynastay/internal/keytext"

// Custom is a value of a custom kind. encode returns the text of the value; decode sets the value from a text, and
// returns an error if it cannot read it. Neither needs to check for other spellings: [Parse] encodes the decoded value
// again and compares.
//
// The text must not be empty, must not contain '#' or control characters, and must be valid UTF-8. Keys sort by their
// text: a number or a time needs a fixed width to sort correctly.
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
