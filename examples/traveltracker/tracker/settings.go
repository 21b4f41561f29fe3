package tracker

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Settings are preferences of a user, as the application defines them: text, numbers, booleans, lists and maps. Numbers
// are read as [attributevalue.Number], so that none loses its precision. An empty Settings is not stored.
type Settings map[string]any

func declareSettings(f *entity.Fields, name string, p *Settings) {
	entity.Custom(f, name, p, encodeSettings, decodeSettings)
}

func encodeSettings(s Settings) (types.AttributeValue, error) {
	if len(s) == 0 {
		return nil, nil
	}
	v, err := attributevalue.MarshalMap(s)
	if err != nil {
		return nil, dynastay.Invalid("", "%s", err)
	}
	return &types.AttributeValueMemberM{Value: v}, nil
}

func decodeSettings(v dynastay.Value) (Settings, error) {
	var s Settings
	err := attributevalue.UnmarshalMapWithOptions(v.Map().Item(), &s, func(o *attributevalue.DecoderOptions) { o.UseNumber = true })
	return s, err
}

// The largest preferences that a device may send. An entry of the log has those of a whole profile, and an item that is
// too large for DynamoDB would hold up all later operations of the device.
const (
	maxSettings      = 16 << 10 // bytes of names and values
	maxSettingsDepth = 16
)

// number is how DynamoDB writes a number.
var number = regexp.MustCompile(`^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$`)

// checkSettings returns an error for preferences that DynamoDB does not store.
func (p *Profile) checkSettings() error {
	if err := p.Privacy.check(); err != nil {
		return dynastay.Within("Privacy", err)
	}
	return dynastay.Within("Notifications", p.Notifications.check())
}

func (s Settings) check() error {
	v, err := encodeSettings(s)
	if v == nil || err != nil {
		return err
	}
	size, err := sizeOf(v, 0)
	if err == nil && size > maxSettings {
		err = dynastay.Invalid("", "must have at most %d bytes, got %d", maxSettings, size)
	}
	return err
}

func sizeOf(v types.AttributeValue, depth int) (size int, err error) {
	if depth > maxSettingsDepth {
		return 0, dynastay.Invalid("", "must have at most %d levels", maxSettingsDepth)
	}
	add := func(name string, v types.AttributeValue) {
		if err == nil {
			n := 0
			n, err = sizeOf(v, depth+1)
			size += len(name) + n
		}
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		for name, one := range v.Value {
			add(name, one)
		}
	case *types.AttributeValueMemberL:
		for _, one := range v.Value {
			add("", one)
		}
	case *types.AttributeValueMemberN:
		return len(v.Value), checkNumber(v.Value)
	case *types.AttributeValueMemberS:
		return len(v.Value), nil
	case *types.AttributeValueMemberB:
		return len(v.Value), nil
	}
	return size + 1, err
}

// checkNumber: DynamoDB has 38 digits, and magnitudes from 1e-130 to less than 1e126.
func checkNumber(text string) error {
	n, err := strconv.ParseFloat(text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
	if err != nil || !number.MatchString(text) || len(digits) > 38 || n != 0 && (math.Abs(n) < 1e-130 || math.Abs(n) >= 1e126) {
		return dynastay.Invalid("", "must have only numbers of at most 38 digits, from 1e-130 to 1e126, or 0")
	}
	return nil
}
