package provision_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
	denied := errors.New("access denied")
	_, err = provision.Look(t.Context(), untagged{account: newAccount(prodStore()), err: denied}, table, nil)
	assert.EqualError(t, err, "table prod-Store: access denied")
}
