package stored

import (
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// NotUTF8 is the reason for rejecting text that is not valid UTF-8, because DynamoDB would store it differently.
const NotUTF8 = "must be valid UTF-8"

// BadText returns the path of a text in v that is not valid UTF-8; path is the path of v.
func BadText(path string, v types.AttributeValue) (at string, bad bool) {
	texts := func(n int, one func(i int) types.AttributeValue) (string, bool) {
		for i := range n {
			if at, bad := BadText(path+"["+strconv.Itoa(i)+"]", one(i)); bad {
				return at, true
			}
		}
		return "", false
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return path, !utf8.ValidString(v.Value)
	case *types.AttributeValueMemberSS:
		return texts(len(v.Value), func(i int) types.AttributeValue { return Text(v.Value[i]) })
	case *types.AttributeValueMemberL:
		return texts(len(v.Value), func(i int) types.AttributeValue { return v.Value[i] })
	case *types.AttributeValueMemberM:
		for name, inner := range v.Value {
			if !utf8.ValidString(name) {
				return path, true
			}
			if at, bad := BadText(path+"."+name, inner); bad {
				return at, true
			}
		}
	}
	return "", false
}
