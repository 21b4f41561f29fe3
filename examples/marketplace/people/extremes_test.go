package people_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

// Other software may have stored a profile without its id, or with another one. No function can mend it, so it is not
// about the caller's arguments. Its ratings are still counted where they are.
func TestProfilesWithAnotherID(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]types.AttributeValue{
		"NULL": null, "another": dynastay.Text("other"), "no id": dynastay.Text("a#b"),
	} {
		n := newTown(t)
		n.signUp(worker("w", "a"))
		raw := n.raw("w")
		delete(raw, "writeId")
		delete(raw, "ratingSum")
		raw["userId"] = id
		n.put(raw, review("w", "p1", dynastay.Number(3)), review("other", "p1", dynastay.Number(1)))
		for what, call := range map[string]func() (*people.Profile, error){
			"update": func() (*people.Profile, error) {
				return n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.ID = "w" }))
			},
			"adopt":  func() (*people.Profile, error) { return n.repo.Adopt(t.Context(), "w") },
			"verify": func() (*people.Profile, error) { return n.repo.VerifyPhone(t.Context(), "w", "+27812345678") },
		} {
			_, err := call()
			require.ErrorIs(t, err, dynastay.ErrCorrupt, "%s: %s", name, what)
			require.NotErrorIs(t, err, dynastay.ErrInvalid, "%s: %s", name, what)
			assert.Equal(t, "ID", fieldOf(err), "%s: %s", name, what)
		}
		_, err := dynastay.Do(t.Context(), n.DB.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "rate", Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
				row, err := n.DB.Get(ctx, keys.Table, dynastay.Key{PK: "USER#w", SK: "PROFILE"}, dynastay.Consistent)
				if err != nil {
					return none, err
				}
				return none, n.repo.Count(ctx, tx, row, people.Tally{Ratings: 1, Stars: 5})
			},
		}))
		require.NoError(t, err, name)
		row := n.row("USER#w", "PROFILE")
		assert.Equal(t, []int{2, 8}, []int{row.Int("ratingCount"), row.Int("ratingSum")}, name)
	}
}

// Numbers that DynamoDB or a currency does not have are refused before any request.
func TestNumbersThatCannotBeStored(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	record := n.Faults.Record()
	for field, change := range map[string]func(*people.Profile){
		"Location.Latitude":  func(p *people.Profile) { p.Location.Latitude = 1e-131 },
		"Location.Longitude": func(p *people.Profile) { p.Location.Longitude = -1e-200 },
		"Shop.FreeOver":      func(p *people.Profile) { p.Shop.FreeOver = dynastay.MustMoney("0.001", "ZAR") },
	} {
		p := seller("s")
		change(&p)
		_, err := n.repo.SignUp(t.Context(), p)
		require.ErrorIs(t, err, dynastay.ErrInvalid, field)
		assert.Equal(t, field, fieldOf(err))
	}
	assert.Empty(t, record())
	p := seller("s")
	p.Location.Latitude, p.Location.Longitude, p.Shop.FreeOver = 1e-130, -1e-130, dynastay.MustMoney("0.01", "ZAR")
	made := n.signUp(p)
	assert.Equal(t, made, n.profile("s"))
	assert.Equal(t, p.Location, made.Location)
}
