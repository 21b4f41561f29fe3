package people_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// Local engines always read consistently, so only the requests show whether DynamoDB would. Every read of the table
// that a write depends on, or that signs a user in, is consistent, and so is the result of a repeated call.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	ctx := t.Context()
	w := worker("w", "a")
	w.Subject, w.Email, w.Phone = "sub-1", "w@example.com", "+27812345670"
	n.signUp(w)
	b := parsed(t, documentBuyer)
	b["cognitoSub"] = dynastay.Text("sub-2")
	n.put(b, parsed(t, documentWorker))
	keyed := dynastay.IdempotencyKey("k")
	signUp := func() error {
		_, err := n.repo.SignUp(ctx, people.Profile{Role: people.Buyer, Name: "x", Location: estcourt}, keyed)
		return err
	}
	verify := func() error {
		_, err := n.repo.VerifyPhone(ctx, "w", "+27812345670", dynastay.IdempotencyKey("v"))
		return err
	}
	for _, call := range []struct {
		name  string
		reads int
		do    func() error
	}{
		{"SignUp", 0, signUp}, {"SignUp again", 1, signUp},
		{"VerifyPhone", 1, verify}, {"VerifyPhone again", 2, verify},
		{"Update", 1, func() error {
			_, err := n.repo.Update(ctx, "w", edit(func(p *people.Profile) { p.Name = "new" }))
			return err
		}},
		{"first Update", 2, func() error {
			_, err := n.repo.Update(ctx, "buyer123", edit(func(p *people.Profile) { p.Name = "new" }))
			return err
		}},
		{"Adopt", 2, func() error { _, err := n.repo.Adopt(ctx, "worker456"); return err }},
		{"BySubject", 2, func() error { _, err := n.repo.BySubject(ctx, "sub-1"); return err }},
		{"ByEmail", 2, func() error { _, err := n.repo.ByEmail(ctx, "w@example.com"); return err }},
		{"ByPhone", 2, func() error { _, err := n.repo.ByPhone(ctx, "+27812345670"); return err }},
		{"Profile", 1, func() error { _, err := n.repo.Profile(ctx, "w", dynastay.Consistent); return err }},
		{"RecountRatings", 2, func() error { _, err := n.repo.RecountRatings(ctx, "w"); return err }},
		{"Count of a rating of a profile without a sum", 2, func() error {
			return n.Write(ctx, count(n.DB.DB, n.repo, "buyer123", people.Tally{Ratings: 1, Stars: 1}))
		}},
	} {
		record := n.Faults.Record()
		require.NoError(t, call.do(), call.name)
		reads := 0
		for _, r := range record() {
			if r.Operation == "GetItem" || r.Operation == "Query" {
				var body struct{ ConsistentRead bool }
				require.NoError(t, json.Unmarshal(r.Body, &body))
				assert.True(t, body.ConsistentRead, "%s: %s", call.name, r.Operation)
				reads++
			}
		}
		assert.Equal(t, call.reads, reads, call.name)
	}

	record := n.Faults.Record()
	_, err := n.repo.Profile(ctx, "w")
	require.NoError(t, err)
	n.ids(n.repo.WithAnySkill("Estcourt", "a"), 9)
	for _, r := range record() {
		assert.NotContains(t, string(r.Body), `"ConsistentRead":true`, "what is only shown is not")
	}
}
