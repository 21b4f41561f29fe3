package dynastay

import (
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The longest texts of a caller that the repositories store, in bytes. They bound what one call can make every reader
// pay for; DynamoDB itself takes 400 KB an item.
const (
	// MaxName is for the name of a person or a thing, a line of an address, a word such as a country: as much as a key
	// holds of a text.
	MaxName = 256
	// MaxNote is for what a person writes freely, such as special requests or a reason: a page.
	MaxNote = 2048
	// MaxURL is what browsers and proxies agree to take.
	MaxURL = 2048
)

// CheckText refuses text of more than most bytes, and text that is not UTF-8, which DynamoDB would store as another
// one. Its error has no field, see [Within].
func CheckText(text string, most int) error {
	switch {
	case len(text) > most:
		return Invalid("", "has %d bytes, the most is %d", len(text), most)
	case !utf8.ValidString(text):
		return Invalid("", notUTF8)
	}
	return nil
}

const notUTF8 = "is not UTF-8"

// badText is the path of a text in v that is not UTF-8; v stands at path.
func badText(path string, v types.AttributeValue) (at string, bad bool) {
	texts := func(n int, one func(i int) types.AttributeValue) (string, bool) {
		for i := range n {
			if at, bad := badText(path+"["+itoa(i)+"]", one(i)); bad {
				return at, true
			}
		}
		return "", false
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return path, !utf8.ValidString(v.Value)
	case *types.AttributeValueMemberSS:
		return texts(len(v.Value), func(i int) types.AttributeValue { return str(v.Value[i]) })
	case *types.AttributeValueMemberL:
		return texts(len(v.Value), func(i int) types.AttributeValue { return v.Value[i] })
	case *types.AttributeValueMemberM:
		for name, inner := range v.Value {
			if !utf8.ValidString(name) {
				return path, true
			}
			if at, bad := badText(path+"."+name, inner); bad {
				return at, true
			}
		}
	}
	return "", false
}
