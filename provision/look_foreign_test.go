package provision_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision"
)

// untagged is an engine that answers a question about tags in its own way.
type untagged struct {
	*account
	out *dynamodb.ListTagsOfResourceOutput
	err error
}

func (u untagged) ListTagsOfResource(context.Context, *dynamodb.ListTagsOfResourceInput, ...func(*dynamodb.Options)) (*dynamodb.ListTagsOfResourceOutput, error) {
	return u.out, u.err
}

// DynamoDB Local has no tags, and other engines may end a list with an empty token.
func TestEnginesWithoutTags(t *testing.T) {
	t.Parallel()
	table := prodStore()
	table.Settings.Tags = map[string]string{"stage": "production"}
	unknown := &smithy.GenericAPIError{Code: "UnknownOperationException", Message: "Tagging is not currently supported in DynamoDB Local."}
	r, err := provision.Look(t.Context(), untagged{account: newAccount(prodStore()), err: unknown}, table, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Differences)
	assert.Equal(t, []provision.Unchecked{{Setting: "Tags", Reason: "the engine has no tags"}}, r.Unchecked)
	empty := &dynamodb.ListTagsOfResourceOutput{NextToken: aws.String("")}
	r, err = provision.Look(t.Context(), untagged{account: newAccount(prodStore()), out: empty}, table, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Tags must be stage=production, but is none"}, settings(r.Differences))
	table.Settings.Tags["stage"] = ""
	r, err = provision.Look(t.Context(), newAccount(prodStore()), table, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Tags must be stage=, but is none"}, settings(r.Differences), "a tag without a value is one")
	denied := errors.New("access denied")
	_, err = provision.Look(t.Context(), untagged{account: newAccount(prodStore()), err: denied}, table, nil)
	assert.EqualError(t, err, "table prod-Store: access denied")
}

// What is described and turned off, or being turned off, is not there.
func TestWhatIsTurnedOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		had  func(*types.TableDescription)
		want string
	}{
		{func(d *types.TableDescription) { d.StreamSpecification.StreamEnabled = aws.Bool(false) }, "Stream must be NEW_AND_OLD_IMAGES, but is none"},
		{func(d *types.TableDescription) { d.SSEDescription.SSEType = types.SSETypeAes256 }, "Encryption must be AWS managed key, but is AWS owned key"},
		{
			func(d *types.TableDescription) { d.SSEDescription.Status = types.SSEStatusDisabling },
			"Encryption must be AWS managed key, but is AWS owned key",
		},
	} {
		a := newAccount(prodStore())
		c.had(a.table)
		r, err := provision.Look(t.Context(), a, prodStore(), nil)
		require.NoError(t, err)
		assert.Equal(t, []string{c.want}, settings(r.Differences))
	}
}

// strict is DynamoDB, which turns a time to live off only with its attribute.
type strict struct{ *account }

func (s strict) UpdateTimeToLive(_ context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	switch to := in.TimeToLiveSpecification; {
	case aws.ToBool(to.Enabled):
		s.ttl = *to.AttributeName
	case *to.AttributeName != s.ttl:
		return nil, errors.New("TimeToLive is active on a different AttributeName")
	default:
		s.ttl = ""
	}
	return &dynamodb.UpdateTimeToLiveOutput{}, nil
}

func TestAnotherAttributeExpires(t *testing.T) {
	t.Parallel()
	s := strict{newAccount(prodStore())}
	s.ttl = "Expires"
	assert.NoError(t, provision.Apply(t.Context(), s, []provision.Table{prodStore()}, &provision.Options{Named: []string{"prod-Store/TTL"}}))
	assert.Equal(t, "ExpiresAt", s.ttl)
}
