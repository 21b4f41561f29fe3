package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/provision/policy"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	place := []string{"--region", "eu-central-1", "--account", "123456789012", "--prefix", "prod-", "--suffix=-v2"}
	asked := append([]string{"policy", "reader", "--repository", "bookings, users", "--also", "GetItem Outbox", "--user", "${aws:PrincipalTag/user}"}, place...)
	got := call(t.Context(), asked...)
	require.Equal(t, same, got.code, got.errs)
	want, err := policy.Policy{
		Role: policy.Reader, Repositories: []string{"bookings", "users"}, User: "${aws:PrincipalTag/user}", Also: []policy.Need{{Action: "GetItem", Table: "Outbox"}},
	}.Document(policy.Account{Partition: "aws", Region: "eu-central-1", ID: "123456789012", Prefix: "prod-", Suffix: "-v2"})
	require.NoError(t, err)
	var document policy.Document
	require.NoError(t, json.Unmarshal([]byte(got.out), &document))
	assert.Equal(t, *want, document)
	assert.Contains(t, got.out, "\n  \"Version\": \"2012-10-17\",\n", "it is indented")

	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a role that is none":   {append([]string{"policy", "guest"}, place...), "guest"},
		"no repository":         {append([]string{"policy", "reader"}, place...), "invalid Repositories: must not be empty"},
		"a repository of none":  {append([]string{"policy", "reader", "--repository", "hotels"}, place...), `availability/units, bookings, `},
		"a need that is none":   {append([]string{"policy", "reader", "--also", "GetItem"}, place...), "is not an action and a table"},
		"a writer of one user":  {append([]string{"policy", "application", "--repository", "users", "--user", "u"}, place...), "is only for a reader"},
		"a user of none":        {append([]string{"policy", "reader", "--repository", "users", "--user", ""}, place...), "--user must not be empty"},
		"no account":            {[]string{"policy", "reader", "--repository", "users", "--region", "r"}, "--account"},
		"no region":             {[]string{"policy", "reader", "--repository", "users", "--account", "1"}, "--region"},
		"a worker of no stream": {append([]string{"policy", "worker", "--repository", "availability"}, place...), "have no stream"},
	} {
		got := call(t.Context(), c.args...)
		assert.Equal(t, failed, got.code, name)
		assert.Empty(t, got.out, name)
		assert.Contains(t, got.errs, c.says, name)
	}
}
