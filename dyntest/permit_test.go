package dyntest

import (
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision/policy"
)

// Each operation needs its own permission, a transaction those of its actions, and a query of an index that of the index.
func TestNeedsOfRequests(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(tools, keys.UsersTable))
	for _, c := range []struct{ operation, body, needs string }{
		{"GetItem", `{"TableName":"@","Key":` + aTool + `}`, "GetItem Tools [a]"},
		{"PutItem", `{"TableName":"@","Item":` + theTool + `}`, "PutItem Tools [a]"},
		{"Query", `{"TableName":"@","KeyConditionExpression":"#p = :p AND sk = :s","ExpressionAttributeNames":{"#p":"pk"},
			"ExpressionAttributeValues":{":p":{"S":"a"},":s":{"S":"t"}}}`, "Query Tools [a]"},
		{"Query", `{"TableName":"@","IndexName":"GSI1-KindIndex","KeyConditionExpression":"sk = :s AND kind=:k",
			"ExpressionAttributeValues":{":k":{"S":"saw"},":s":{"S":"t"}}}`, "Query Tools/GSI1-KindIndex [saw]"},
		{"Scan", `{"TableName":"@"}`, "Scan Tools []"},
		{"BatchGetItem", `{"RequestItems":{"@":{"Keys":[` + aTool + `,{"pk":{"S":"b"},"sk":{"S":"t"}}]}}}`, "BatchGetItem Tools [a b]"},
		{"BatchWriteItem", `{"RequestItems":{"@":[{"PutRequest":{"Item":` + theTool + `}},{"DeleteRequest":{"Key":` + aTool + `}}]}}`, "BatchWriteItem Tools [a a]"},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"@","Key":` + aTool + `}}]}`, "GetItem Tools [a]"},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"@","Item":` + theTool + `}},{"Update":{"TableName":"@","Key":` + aTool + `}},
			{"Delete":{"TableName":"@","Key":` + aTool + `}},{"ConditionCheck":{"TableName":"@","Key":` + aTool + `}},
			{"Put":{"TableName":"@","Item":` + theTool + `}}]}`,
			"PutItem Tools [a a]; UpdateItem Tools [a]; DeleteItem Tools [a]; ConditionCheckItem Tools [a]"},
		{"GetItem", `{"TableName":"Users","Key":{"PK":{"S":"USER#user_1"},"SK":{"S":"PROFILE"}}}`, "GetItem Users own [USER#user_1]"},
		{"GetItem", `{"TableName":"Users","Key":{"PK":{"S":"USER#user_1#1"},"SK":{"S":"PROFILE"}}}`, "GetItem Users [USER#user_1#1]"},
		{"BatchGetItem", `{"RequestItems":{"Users":{"Keys":[{"PK":{"S":"USER#user_1"}},{"PK":{"S":"EMAIL#x"}}]}}}`, "BatchGetItem Users [USER#user_1 EMAIL#x]"},
		{"DescribeTable", `{"TableName":"Unknown"}`, "DescribeTable Unknown []"},
		{"GetRecords", `{"ShardIterator":"arn:aws:dynamodb:us-east-1:000000000000:table/Tools/stream/2026|1"}`, "GetRecords Tools []"},
		{"ListStreams", `{"TableName":"@"}`, "ListStreams Tools []"},
		{"ListTagsOfResource", `{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/@"}`, "ListTagsOfResource Tools []"},
		{"GetItem", `{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/@","Key":` + aTool + `}`, "GetItem Tools [a]"},
		// A partition that is not understood is not that of a user.
		{"GetItem", `{"TableName":"Users","Key":{"PK":{"N":"1"}}}`, "GetItem Users []"},
		{"BatchGetItem", `{"RequestItems":{"Users":{"Keys":[{"PK":{"S":"USER#user_1"}},{"PK":{"N":"1"}}]}}}`, "BatchGetItem Users [USER#user_1 ]"},
		{"Query", `{"TableName":"Users","KeyConditionExpression":":p = PK","ExpressionAttributeValues":{":p":{"S":"USER#user_1"}}}`, "Query Users []"},
		{"Query", `{"TableName":"Users","KeyConditions":{"PK":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"USER#user_1"}]}}}`, "Query Users []"},
		{"BatchExecuteStatement", `{"Statements":[{"Statement":"SELECT * FROM Users"}]}`, "BatchExecuteStatement  []"},
		{"ExecuteTransaction", `{"TransactStatements":[{"Statement":"SELECT * FROM Users"}]}`, "ExecuteTransaction  []"},
		{"ListTables", `{}`, "ListTables  []"},
		{"BatchGetItem", `{"RequestItems":{}}`, ""},
	} {
		body := strings.ReplaceAll(c.body, "@", d.TableName(tools))
		body = strings.NewReplacer(`"Users"`, `"`+d.TableName(keys.UsersTable)+`"`).Replace(body)
		needs, err := d.needs(c.operation, []byte(body))
		require.NoError(t, err, c.operation)
		var got []string
		for _, n := range needs {
			got = append(got, n.String()+" ["+strings.Join(n.partitions, " ")+"]")
		}
		assert.Equal(t, c.needs, strings.Join(got, "; "), c.operation)
	}
	_, err := d.needs("BatchGetItem", []byte(`{"RequestItems":{"T":[]}}`))
	assert.Error(t, err)
}

// What is not permitted does not reach the engine, whichever client of the test sends it, and nothing else is refused.
func TestPermitted(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(tools), Streams(), Permitted(policy.Policy{Role: policy.Reader, Also: []policy.Need{
		{Action: "GetItem", Table: "Tools"}, {Action: "Query", Table: "Tools", Index: "GSI1-KindIndex"},
	}}))
	denied := func(err error) bool {
		var api smithy.APIError
		return assert.ErrorAs(t, err, &api) && api.ErrorCode() == "AccessDeniedException"
	}
	name := d.TableName(tools)
	get := &dynamodb.GetItemInput{TableName: &name, Key: dynastay.Item{"pk": dynastay.Text("a"), "sk": dynastay.Text("t")}}
	items := maps.All(map[*dynastay.Schema]dynastay.Item{tools: get.Key})
	put := &dynamodb.PutItemInput{TableName: &name, Item: get.Key}
	_, err := d.Client.GetItem(t.Context(), get)
	require.NoError(t, err)
	measured := d.Measure(func() { _, err = d.Client.PutItem(t.Context(), put) })
	assert.True(t, denied(err))
	assert.ErrorContains(t, err, "dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:123456789012:table/"+name)
	assert.Equal(t, 1, measured.Requests, "it is not sent again")
	assert.Zero(t, measured.WriteUnits)
	_, err = d.Streams.ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
	assert.True(t, denied(err))
	for _, db := range []*dynastay.DB{d.DB, d.Open(nil)} {
		assert.True(t, denied(db.PutAll(t.Context(), items)))
	}
	assert.NoError(t, d.Direct.PutAll(t.Context(), items))
	out, err := d.Client.GetItem(t.Context(), get)
	require.NoError(t, err)
	assert.Equal(t, put.Item, out.Item)
	statement := "SELECT * FROM \"" + name + "\" WHERE pk = 'a' AND sk = 't'"
	_, err = d.Client.BatchExecuteStatement(t.Context(), &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{{Statement: &statement}}})
	assert.True(t, denied(err))
	_, err = d.Client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}})
	assert.True(t, denied(err))
	_, err = d.Client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("Tools"), Key: get.Key})
	assert.True(t, denied(err), "it is not one of the test's")

	// Two policies allow what either does, and each action of a transaction must be allowed.
	may := func(action string) policy.Policy {
		return policy.Policy{Role: policy.Application, Also: []policy.Need{{Action: action, Table: "Tools"}}}
	}
	two := New(t, OnlyTables(tools), Permitted(may("PutItem"), may("DeleteItem")))
	name = two.TableName(tools)
	write := func(more types.TransactWriteItem) error {
		_, err := two.Client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: &name, Item: get.Key}}, more,
		}})
		return err
	}
	other := dynastay.Item{"pk": dynastay.Text("b"), "sk": dynastay.Text("t")}
	assert.NoError(t, write(types.TransactWriteItem{Delete: &types.Delete{TableName: &name, Key: other}}))
	assert.True(t, denied(write(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &name, Key: other, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}})))

	all := New(t, OnlyTables(tools))
	_, err = all.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(all.TableName(tools)), Item: put.Item})
	assert.NoError(t, err, "without the option, everything is permitted")
	nothing := New(t, OnlyTables(tools), Permitted())
	name = nothing.TableName(tools)
	_, err = nothing.Client.GetItem(t.Context(), get)
	assert.True(t, denied(err))

	c := configure([]Option{Permitted(policy.Policy{Role: "guest"})})
	_, err = newPermissions(c, "T-")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "dyntest: Permitted: invalid Role")
}
