package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision/policy"
)

const table = "arn:aws:dynamodb:eu-central-1:123456789012:table/"

func TestAllows(t *testing.T) {
	t.Parallel()
	statement := func(change func(*policy.Statement)) *policy.Document {
		s := policy.Statement{Effect: "Allow", Action: []string{"dynamodb:GetItem", "dynamodb:Query"}, Resource: []string{table + "Users", table + "Bookings/stream/*"}}
		if change != nil {
			change(&s)
		}
		return &policy.Document{Version: "2012-10-17", Statement: []policy.Statement{s}}
	}
	conditions := func(operator, key string, values ...string) *policy.Document {
		return statement(func(s *policy.Statement) {
			s.Condition = map[string]map[string][]string{operator: {key: values}}
		})
	}
	get := policy.Request{Action: "dynamodb:GetItem", Resource: table + "Users", LeadingKeys: []string{"USER#user_1"}}
	with := func(change func(*policy.Request)) policy.Request {
		r := get
		change(&r)
		return r
	}
	const all, leading = "ForAllValues:StringEquals", "dynamodb:LeadingKeys"
	for name, c := range map[string]struct {
		document *policy.Document
		request  policy.Request
		allowed  bool
	}{
		"action and resource":  {statement(nil), get, true},
		"another action":       {statement(nil), with(func(r *policy.Request) { r.Action = "dynamodb:PutItem" }), false},
		"another table":        {statement(nil), with(func(r *policy.Request) { r.Resource = table + "Users2" }), false},
		"a shorter name":       {statement(nil), with(func(r *policy.Request) { r.Resource = table + "User" }), false},
		"an index":             {statement(nil), with(func(r *policy.Request) { r.Resource = table + "Users/index/GSI1" }), false},
		"any stream":           {statement(nil), with(func(r *policy.Request) { r.Resource = table + "Bookings/stream/2026-07-10T12:00:00.000" }), true},
		"a stream of another":  {statement(nil), with(func(r *policy.Request) { r.Resource = table + "Users/stream/2026-07-10T12:00:00.000" }), false},
		"everything":           {statement(func(s *policy.Statement) { s.Resource = []string{"*"} }), get, true},
		"two wildcards":        {statement(func(s *policy.Statement) { s.Resource = []string{"arn:aws:dynamodb:*:*:table/Users"} }), get, true},
		"beyond two wildcards": {statement(func(s *policy.Statement) { s.Resource = []string{"arn:aws:dynamodb:*:*:table/User"} }), get, false},
		"denied":               {statement(func(s *policy.Statement) { s.Effect = "Deny" }), get, false},
		"no statement":         {&policy.Document{}, get, false},
		"own partition":        {conditions(all, leading, "USER#user_1"), get, true},
		"one of two partitions": {conditions(all, leading, "USER#user_1"), with(func(r *policy.Request) {
			r.LeadingKeys = []string{"USER#user_1", "USER#user_2"}
		}), false},
		"both partitions": {conditions(all, leading, "USER#user_1", "USER#user_2"), with(func(r *policy.Request) {
			r.LeadingKeys = []string{"USER#user_1", "USER#user_2"}
		}), true},
		"no partition":       {conditions(all, leading, "USER#user_1"), with(func(r *policy.Request) { r.LeadingKeys = nil }), true},
		"not null":           {conditions("Null", leading, "false"), get, true},
		"not null, but none": {conditions("Null", leading, "false"), with(func(r *policy.Request) { r.LeadingKeys = nil }), false},
		"null":               {conditions("Null", leading, "true"), get, false},
		"one character":      {statement(func(s *policy.Statement) { s.Resource = []string{table + "U?ers"} }), get, true},
		"no character":       {statement(func(s *policy.Statement) { s.Resource = []string{table + "Users?"} }), get, false},
		"many wildcards":     {statement(func(s *policy.Statement) { s.Resource = []string{strings.Repeat("*a", 40)} }), get, false},
		"a second beginning": {statement(func(s *policy.Statement) { s.Resource = []string{"*AAB"} }), with(func(r *policy.Request) { r.Resource = table + "AAAB" }), true},
		"wildcards around":   {statement(func(s *policy.Statement) { s.Resource = []string{"*123*table/U*ers*"} }), get, true},
		"another operator":   {conditions("StringEquals", leading, "USER#user_1"), get, false},
		"another key":        {conditions(all, "dynamodb:Attributes", "USER#user_1"), get, false},
	} {
		assert.Equal(t, c.allowed, c.document.Allows(c.request), name)
	}
}

// The JSON is what IAM takes; it was compared with the examples in the guide of DynamoDB.
func TestJSON(t *testing.T) {
	t.Parallel()
	document, err := policy.Policy{Role: policy.Reader, Also: []policy.Need{{Action: "GetItem", Table: "Outbox"}}, User: "${aws:PrincipalTag/user}"}.
		Document(policy.Account{Region: "eu-central-1", ID: "123456789012", Prefix: "prod-", Suffix: "-v2"})
	require.NoError(t, err)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	assert.Equal(t, `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["dynamodb:GetItem"],`+
		`"Resource":["arn:aws:dynamodb:eu-central-1:123456789012:table/prod-Outbox-v2"],`+
		`"Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["USER#${aws:PrincipalTag/user}"]},"Null":{"dynamodb:LeadingKeys":["false"]}}}]}`, string(text))
}
