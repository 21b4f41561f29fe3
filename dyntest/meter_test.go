package dyntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// tools is a table with an index.
var tools = &dynastay.Schema{Name: "Tools", Key: things.Key, Indexes: []dynastay.Index{
	{Name: "GSI1-KindIndex", Key: dynastay.KeyNames{Partition: "kind", Sort: "sk"}},
}}

const (
	aTool   = `{"pk":{"S":"a"},"sk":{"S":"t"}}`
	theTool = `{"pk":{"S":"a"},"sk":{"S":"t"},"kind":{"S":"saw < & >"},"weight":{"N":"1.50"}}`
)

// questions are requests of every operation that consumes units, in the order in which they can be sent. When sent again,
// they have the same answers. @ is the table.
var questions = []struct {
	operation, body string
	usage           []dynastay.Usage // nil if engines differ
}{
	{"PutItem", `{"TableName":"@","Item":` + theTool + `,"ReturnValues":"ALL_OLD"}`, nil},
	{"UpdateItem", `{"TableName":"@","Key":` + aTool + `,"UpdateExpression":"SET weight = :w",
		"ExpressionAttributeValues":{":w":{"N":"1.5"}},"ReturnValues":"ALL_NEW"}`, nil},
	{"GetItem", `{"TableName":"@","Key":` + aTool + `}`, []dynastay.Usage{{Table: "Tools", ReadUnits: 0.5}}},
	{"GetItem", `{"TableName":"@","Key":` + aTool + `,"ConsistentRead":true}`, []dynastay.Usage{{Table: "Tools", ReadUnits: 1}}},
	{"Query", `{"TableName":"@","IndexName":"GSI1-KindIndex","KeyConditionExpression":"kind = :k",
		"ExpressionAttributeValues":{":k":{"S":"saw < & >"}}}`,
		[]dynastay.Usage{{Table: "Tools", Index: "GSI1-KindIndex", ReadUnits: 0.5}}},
	{"Scan", `{"TableName":"@"}`, []dynastay.Usage{{Table: "Tools", ReadUnits: 0.5}}},
	{"BatchGetItem", `{"RequestItems":{"@":{"Keys":[` + aTool + `]}}}`, []dynastay.Usage{{Table: "Tools", ReadUnits: 0.5}}},
	{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"@","Key":` + aTool + `}}]}`,
		[]dynastay.Usage{{Table: "Tools", ReadUnits: 2}}},
	{"BatchWriteItem", `{"RequestItems":{"@":[{"PutRequest":{"Item":` + theTool + `}}]}}`, nil},
	{"TransactWriteItems", `{"TransactItems":[{"ConditionCheck":{"TableName":"@","Key":` + aTool + `,
		"ConditionExpression":"attribute_exists(pk)"}}]}`, nil},
	{"ExecuteStatement", `{"Statement":"SELECT * FROM \"@\" WHERE pk = 'a' AND sk = 't'"}`, nil},
	{"DeleteItem", `{"TableName":"@","Key":{"pk":{"S":"none"},"sk":{"S":"t"}}}`,
		[]dynastay.Usage{{Table: "Tools", WriteUnits: 1}}},
}

// ask sends a request unchanged and returns the unchanged answer.
func (d *DB) ask(t *testing.T, operation, body, capacity string) string {
	t.Helper()
	body = strings.ReplaceAll(body, "@", d.TableName(tools))
	if capacity != "" {
		body = strings.TrimSuffix(body, "}") + `,"ReturnConsumedCapacity":"` + capacity + `"}`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.Engine.Endpoint(), strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Date", "20260601T120000Z")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=dyntest/20260601/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=host;x-amz-date;x-amz-target, Signature=00")
	resp, err := d.over(d.network()).RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", answer)
	return string(answer)
}

func TestMeasureIsInvisible(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(tools))
	for _, q := range questions {
		if q.operation == "ExecuteStatement" && !d.Has(PartiQL) {
			continue
		}
		d.ask(t, q.operation, q.body, "") // so that each of those below finds the same
		for _, capacity := range []string{"", "NONE", "TOTAL", "INDEXES"} {
			before := d.ask(t, q.operation, q.body, capacity)
			if q.operation == "DeleteItem" && (capacity == "" || capacity == "NONE") {
				before = "{}" // DynamoDB Local reports the units of a deletion of nothing, asked or not
			}
			var measured string
			spent := d.Measure(func() { measured = d.ask(t, q.operation, q.body, capacity) })
			assert.JSONEq(t, before, measured, "%s %s", q.operation, capacity)
			if capacity == "" {
				assert.NotContains(t, measured, "ConsumedCapacity", q.operation)
			}

			require.Len(t, spent.Calls, 1)
			call := spent.Calls[0]
			assert.Equal(t, q.operation, call.Operation)
			assert.Empty(t, call.Err)
			if q.usage != nil {
				assert.Equal(t, q.usage, call.Usage, "%s %s", q.operation, capacity)
			} else if q.operation != "ExecuteStatement" { // for which not all engines count
				require.NotEmpty(t, call.Usage)
				assert.Equal(t, "Tools", call.Usage[0].Table)
				assert.Positive(t, call.Usage[0].WriteUnits, q.operation)
				assert.Zero(t, call.Usage[0].ReadUnits, q.operation)
			}
		}
	}
}

// A value that DynamoDB does not know is passed on unchanged, to be refused.
func TestMeasureHidesNoMistake(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	var sent []byte
	refuse := answering(http.StatusBadRequest, `{"__type":"com.amazon.coral.validate#ValidationException"}`)
	client := d.clientOver(transport(func(req *http.Request) (resp *http.Response, err error) {
		if sent, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		return refuse()
	}))
	spent := d.Measure(func() {
		_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: d.things(), Key: key("a"), ReturnConsumedCapacity: "ALL",
		})
		assert.ErrorContains(t, err, "ValidationException")
	})
	assert.Contains(t, string(sent), `"ReturnConsumedCapacity":"ALL"`)
	require.Len(t, spent.Calls, 1)
	assert.Equal(t, "ValidationException", spent.Calls[0].Err)
}

func TestUnitsAreSplitByKind(t *testing.T) {
	t.Parallel()
	m := newMeter("mine-")
	half, one, two := 0.5, 1.0, 2.0
	consumed := []types.ConsumedCapacity{
		{TableName: aws.String("mine-A"), CapacityUnits: aws.Float64(6), Table: &types.Capacity{ReadCapacityUnits: &two, WriteCapacityUnits: &one},
			GlobalSecondaryIndexes: map[string]types.Capacity{"G2": {CapacityUnits: &half}, "G1": {WriteCapacityUnits: &two}, "G0": {CapacityUnits: new(float64)}},
			LocalSecondaryIndexes:  map[string]types.Capacity{"L1": {CapacityUnits: &one}}},
		{TableName: aws.String("theirs"), Table: &types.Capacity{CapacityUnits: &two}},
	}
	named := []dynastay.Usage{{Table: "A"}}
	assert.Equal(t, []dynastay.Usage{
		{Table: "A", ReadUnits: 2, WriteUnits: 1},
		{Table: "A", Index: "G1", WriteUnits: 2}, {Table: "A", Index: "G2", WriteUnits: 0.5},
		{Table: "A", Index: "L1", WriteUnits: 1}, {Table: "theirs", WriteUnits: 2},
	}, m.charge(named, consumed, true))
	assert.Equal(t, []dynastay.Usage{{Table: "A"}}, named, "it is unchanged")
	assert.Equal(t, 0.5, m.charge(named, consumed, false)[2].ReadUnits)
}

func TestPlacesThatARequestNames(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]dynastay.Usage{
		`{"TableName":"mine-A","IndexName":"G1"}`:                {{Table: "A", Index: "G1"}},
		`{"RequestItems":{"mine-B":[],"theirs":[],"mine-A":[]}}`: {{Table: "A"}, {Table: "B"}, {Table: "theirs"}},
		`{"TransactItems":[{"Put":{"TableName":"mine-B"}},{"Delete":{"TableName":"mine-A"}},{"Update":{"TableName":"mine-B"}}]}`: {{Table: "B"}, {Table: "A"}},
		`{"Limit":1}`: nil,
	} {
		var asked question
		require.NoError(t, json.Unmarshal([]byte(body), &asked))
		assert.Equal(t, want, newMeter("mine-").named(&asked), body)
	}
}

func TestKindsOfOperations(t *testing.T) {
	t.Parallel()
	for body, write := range map[string]bool{
		`{"Statement":"select * from a"}`:                                  false,
		`{"Statement":"\n UPDATE a SET b = 1"}`:                            true,
		`{"Statements":[{"Statement":"SELECT * FROM a"}]}`:                 false,
		`{"TransactStatements":[{"Statement":"INSERT INTO a VALUE {…}"}]}`: true,
		`{}`: false,
	} {
		var asked question
		require.NoError(t, json.Unmarshal([]byte(body), &asked))
		got, metered := kindOf("ExecuteStatement", &asked)
		assert.True(t, metered)
		assert.Equal(t, write, got, body)
	}
	_, metered := kindOf("DescribeTable", &question{})
	assert.False(t, metered)
}

// TestOtherOperationsAreCounted also shows that no unknown parameter is added to them.
func TestOtherOperationsAreCounted(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	var sent []string
	client := d.clientOver(transport(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		sent = append(sent, string(body))
		req.Body = io.NopCloser(bytes.NewReader(body))
		return d.network().RoundTrip(req)
	}))
	spent := d.Measure(func() {
		_, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: d.things()})
		require.NoError(t, err)
	})
	assert.Equal(t, &Spent{
		Cost{Requests: 1}, []Call{{Operation: "DescribeTable", Usage: []dynastay.Usage{{Table: "Things"}}}},
	}, spent)
	assert.Equal(t, []string{`{"TableName":"` + *d.things() + `"}`}, sent)
}

// transport replaces the network below the faults and the meter.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// instead answers the first requests with the given answers, in order, and passes the others to the engine.
func (d *DB) instead(answers ...func() (*http.Response, error)) transport {
	return func(req *http.Request) (*http.Response, error) {
		if len(answers) == 0 {
			return d.network().RoundTrip(req)
		}
		answer := answers[0]
		answers = answers[1:]
		return answer()
	}
}

func answering(status int, body string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

func broken() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

const throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}`

func TestRetriesOfTheSDK(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	client := d.clientOver(d.instead(answering(400, throttled), broken, answering(503, "<html>")), func(o *dynamodb.Options) {
		o.RetryMaxAttempts = 4
	})
	spent := d.Measure(func() { require.NoError(t, put(t.Context(), client, d, "a", "1")) })
	assert.Equal(t, Cost{Requests: 4, Retries: 3, WriteUnits: 1}, spent.Cost)
	nothing := []dynastay.Usage{{Table: "Things"}}
	assert.Equal(t, []Call{
		{"PutItem", false, nothing, "ThrottlingException"},
		{"PutItem", true, nothing, NoAnswer},
		{"PutItem", true, nothing, "503 Service Unavailable"},
		{"PutItem", true, []dynastay.Usage{{Table: "Things", WriteUnits: 1}}, ""},
	}, spent.Calls)
}

func TestAnswerThatBreaksOff(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	breaksOff := func() (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(
			strings.NewReader("{"), readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })))}, nil
	}
	client := d.clientOver(d.instead(breaksOff), once)
	spent := d.Measure(func() { require.ErrorIs(t, put(t.Context(), client, d, "a", "1"), io.ErrUnexpectedEOF) })
	assert.Equal(t, []Call{{Operation: "PutItem", Usage: []dynastay.Usage{{Table: "Things"}}, Err: NoAnswer}}, spent.Calls)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTransactionUnderAUsedTokenIsARetry(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	client := d.Engine.Client(d.front, once)
	token, other := d.prefix[:20]+"1", d.prefix[:20]+"2"
	send := func(token string) {
		in := add(d, "a")
		in.ClientRequestToken = &token
		_, err := client.TransactWriteItems(t.Context(), in)
		require.NoError(t, err)
	}
	send(token) // before anybody measures
	spent := d.Measure(func() { send(token); send(other); send(other) })
	assert.Equal(t, 3, spent.Requests)
	assert.Equal(t, 2, spent.Retries)
	var retries []bool
	for _, c := range spent.Calls {
		retries = append(retries, c.Retry)
	}
	assert.Equal(t, []bool{true, false, true}, retries)
	assert.Equal(t, "2", read(t, d, "a"), "the engine treats them as retries too, although only one of them asks for units")
}

func TestErrorsHaveTheirCodes(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	spent := d.Measure(func() {
		_, err := d.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: d.things(), Key: key("a"), ConditionExpression: aws.String("attribute_exists(pk)"),
		})
		blame.As[*types.ConditionalCheckFailedException](t, err)
	})
	require.Len(t, spent.Calls, 1)
	assert.Equal(t, "ConditionalCheckFailedException", spent.Calls[0].Err)
}

func TestMeasuresNestAndOverlap(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	const callers = 8
	inner := make([]*Spent, callers)
	outer := d.Measure(func() {
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				inner[i] = d.Measure(func() {
					for range 5 {
						assert.NoError(t, put(t.Context(), d.Client, d, fmt.Sprint(i), "1"))
					}
				})
			})
		}
		wg.Wait()
	})
	assert.Equal(t, Cost{Requests: 5 * callers, WriteUnits: 5 * callers}, outer.Cost)
	for _, s := range inner {
		assert.GreaterOrEqual(t, s.Requests, 5, "at least its own")
		assert.LessOrEqual(t, s.Requests, outer.Requests)
		s.Calls[0].Usage[0].WriteUnits = 100 // a caller that changes its calls does not affect the others
	}
	for _, c := range outer.Calls {
		assert.Equal(t, []dynastay.Usage{{Table: "Things", WriteUnits: 1}}, c.Usage)
	}
	require.NoError(t, put(t.Context(), d.Client, d, "later", "1"))
	assert.Len(t, outer.Calls, 5*callers, "it has ended")
}

func TestCallThatIsNotYetAnswered(t *testing.T) {
	t.Parallel()
	d := New(t, Tables(things))
	arrived, goOn, ended := make(chan bool), make(chan bool), make(chan error)
	client := d.clientOver(transport(func(req *http.Request) (*http.Response, error) {
		arrived <- true
		<-goOn
		return d.network().RoundTrip(req)
	}), once)
	spent := d.Measure(func() {
		go func() { ended <- put(context.WithoutCancel(t.Context()), client, d, "a", "1") }()
		<-arrived
	})
	close(goOn)
	require.NoError(t, <-ended)
	assert.Equal(t, &Spent{
		Cost{Requests: 1}, []Call{{Operation: "PutItem", Usage: []dynastay.Usage{{Table: "Things"}}, Err: NoAnswer}},
	}, spent)
}

func TestMeasureEndsHoweverItsFunctionEnds(t *testing.T) {
	t.Parallel()
	d := New(t)
	open := len(d.meter.measures) // that of the summary, if it is asked for
	ended := make(chan bool)
	go func() {
		defer close(ended)
		d.Measure(runtime.Goexit) // as FailNow does
	}()
	<-ended
	assert.Len(t, d.meter.measures, open)
	assert.Panics(t, func() { d.Measure(func() { panic(errors.New("in a test")) }) })
	assert.Len(t, d.meter.measures, open)
}
