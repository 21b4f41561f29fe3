package tracker

import (
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
