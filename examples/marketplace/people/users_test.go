package people_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
)

func TestSignUp(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	p := worker("", "Brick laying")
	p.Subject, p.Email, p.Phone, p.PhoneVerified = "sub-1", " Mike@Example.com ", "+27812345678", true
	made := n.signUp(p)
	assert.Regexp(t, "^user_[0-9A-Z]{26}$", made.ID)
	assert.Equal(t, "mike@example.com", made.Email)
	assert.Equal(t, 1, made.Version)
	assert.Equal(t, base, made.CreatedAt)
	assert.Equal(t, made, n.profile(made.ID))
	for _, find := range []func() (*people.Profile, error){
		func() (*people.Profile, error) { return n.repo.BySubject(t.Context(), "sub-1") },
		func() (*people.Profile, error) { return n.repo.ByEmail(t.Context(), "MIKE@example.com ") },
		func() (*people.Profile, error) { return n.repo.ByPhone(t.Context(), "+27812345678") },
	} {
		found, err := find()
		require.NoError(t, err)
		assert.Equal(t, made, found)
	}
	for field, edit := range map[string]func(*people.Profile){
		"Subject": func(b *people.Profile) { b.Subject = "sub-1" }, "Email": func(b *people.Profile) { b.Email = "mike@EXAMPLE.com" },
		"Phone": func(b *people.Profile) { b.Phone = "+27812345678" }, "": func(b *people.Profile) { b.ID = made.ID },
	} {
		b := buyer("")
		edit(&b)
		_, err := n.repo.SignUp(t.Context(), b)
		require.ErrorIs(t, err, dynastay.ErrAlreadyExists, field)
		assert.Equal(t, field, fieldOf(err))
	}
	_, err := n.repo.BySubject(t.Context(), "sub-2")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = n.repo.ByEmail(t.Context(), "x@example.com")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = n.repo.ByPhone(t.Context(), "+27812345679")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = n.repo.Profile(t.Context(), "nobody")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

// What the caller does with the slices later does not change what is written.
func TestSignUpOpKeepsItsInput(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	p := worker("w", "painting")
	p.Work.Portfolio = []string{"a.jpg"}
	op := n.repo.SignUpOp(p)
	p.Work.Skills[0], p.Work.Portfolio[0] = "roofing", "b.jpg"
	require.NoError(t, n.Write(t.Context(), op))
	got := n.profile("w")
	assert.Equal(t, []string{"painting"}, got.Work.Skills)
	assert.Equal(t, []string{"a.jpg"}, got.Work.Portfolio)
	assert.Equal(t, []string{"painting"}, n.skillNames("w"))
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	p := worker("w", "Brick laying", "painting")
	p.Subject, p.Email, p.Phone, p.PhoneVerified = "sub-1", "mike@example.com", "+27812345678", true
	first := n.signUp(p)
	n.Clock.Advance(time.Hour)
	got := n.update("w", func(p *people.Profile) {
		p.Email, p.Phone, p.PhoneVerified, p.Subject = " M@Example.com", "+27812345679", true, ""
		p.Work.Skills = []string{"bricklaying", "roofing"}
		p.WriteID = "changes nothing"
	})
	assert.Equal(t, "m@example.com", got.Email)
	assert.False(t, got.PhoneVerified, "of another number")
	assert.Equal(t, 2, got.Version)
	assert.Equal(t, base.Add(time.Hour), got.UpdatedAt)
	assert.Equal(t, base, got.CreatedAt)
	assert.NotEqual(t, first.WriteID, got.WriteID)
	assert.Equal(t, got, n.profile("w"))
	assert.Equal(t, []string{"bricklaying", "roofing"}, n.skillNames("w"))
	assert.Equal(t, "bricklaying", n.skillItems("w")["bricklaying"].Text("skill"), "the new spelling")
	for _, guard := range []string{"COGNITO#sub-1", "EMAIL#mike@example.com", "PHONE#+27812345678"} {
		assert.False(t, n.row(guard, "GUARD").Exists(), guard)
	}
	found, err := n.repo.ByPhone(t.Context(), "+27812345679")
	require.NoError(t, err)
	assert.Equal(t, got, found)

	n.update("w", func(p *people.Profile) { p.PhoneVerified = true })
	assert.True(t, n.update("w", func(p *people.Profile) { p.Location = people.Location{City: "Durban"} }).PhoneVerified)
	assert.Equal(t, "LOCATION#Durban#USER#w", n.skillItems("w")["roofing"].Text("GSI1SK"))
	assert.Regexp(t, "^s00000000#USER#w$", n.skillItems("w")["roofing"].Text("GSI2SK"))
	for _, none := range [][]string{{}, nil} {
		assert.Empty(t, n.update("w", func(p *people.Profile) { p.Work.Skills = none }).Work.Skills)
		assert.Empty(t, n.skillItems("w"))
		n.update("w", func(p *people.Profile) { p.Work.Skills = []string{"a", "b"} })
		assert.Equal(t, []string{"a", "b"}, n.skillNames("w"))
	}
	at := n.profile("w")
	assert.Equal(t, at, n.update("w", func(*people.Profile) {}), "nothing is written")

	_, err = n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.Name = "x" }), dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.Name = "x" }), dynastay.IfWritten(first.WriteID))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.Name = "x" }), dynastay.IfVersion(at.Version))
	require.NoError(t, err)
	_, err = n.repo.Update(t.Context(), "nobody", edit(func(*people.Profile) {}))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = n.repo.Update(t.Context(), "w", func(*people.Profile) error { return assert.AnError })
	require.ErrorIs(t, err, assert.AnError)
	b := buyer("b")
	b.Email = "b@example.com"
	n.signUp(b)
	_, err = n.repo.Update(t.Context(), "w", edit(func(p *people.Profile) { p.Email = "B@example.com" }))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, "Email", fieldOf(err))
}

// A number of other software, and its spelling of an address, are kept until they are changed.
func TestUpdateKeepsWhatItDoesNotChange(t *testing.T) {
	t.Parallel()
	n, items := documented(t)
	items["worker456"]["email"] = dynastay.Text("Mike@Example.com")
	n.put(items["worker456"])
	p := n.update("worker456", func(p *people.Profile) { p.Work.Bio = "new" })
	assert.Equal(t, "Mike@Example.com", p.Email)
	assert.Equal(t, "hashed-id-number", p.Work.IDNumber)
	found, err := n.repo.ByEmail(t.Context(), "mike@example.com")
	require.NoError(t, err)
	assert.Equal(t, p, found)
	_, err = n.repo.Update(t.Context(), "worker456", edit(func(p *people.Profile) { p.Work.IDNumber = "8001015009087" }))
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.Empty(t, n.update("worker456", func(p *people.Profile) { p.Work.IDNumber = "" }).Work.IDNumber)
}

func TestVerifyPhone(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	b := buyer("b")
	b.Phone = "+27812345678"
	n.signUp(b)
	_, err := n.repo.VerifyPhone(t.Context(), "b", "+27812345679")
	require.ErrorIs(t, err, dynastay.ErrVersion)
	assert.Equal(t, "Phone", fieldOf(err))
	p, err := n.repo.VerifyPhone(t.Context(), "b", "+27812345678", dynastay.IdempotencyKey("v"))
	require.NoError(t, err)
	assert.True(t, p.PhoneVerified)
	assert.Equal(t, 2, p.Version)
	again, err := n.repo.VerifyPhone(t.Context(), "b", "+27812345678")
	require.NoError(t, err)
	assert.Equal(t, p, again, "nothing is written")
	n.update("b", func(p *people.Profile) { p.Phone = "+27812345679" })
	again, err = n.repo.VerifyPhone(t.Context(), "b", "+27812345678", dynastay.IdempotencyKey("v"))
	require.NoError(t, err)
	assert.Equal(t, "+27812345679", again.Phone, "the profile as it is now")
	assert.False(t, again.PhoneVerified)
	assert.Empty(t, again.WriteID)
	_, err = n.repo.VerifyPhone(t.Context(), "b", "+27812345679", dynastay.IdempotencyKey("v"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "another number")
	_, err = n.repo.VerifyPhone(t.Context(), "nobody", "+27812345679")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

// A call that is repeated with its key returns what the first one made.
func TestReplays(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	key := dynastay.IdempotencyKey("signing up")
	p := worker("", "painting")
	p.Email = "mike@example.com"
	first, err := n.repo.SignUp(t.Context(), p, key)
	require.NoError(t, err)
	now := n.update(first.ID, func(p *people.Profile) { p.Name = "Mike" })
	again, err := n.repo.SignUp(t.Context(), p, key)
	require.NoError(t, err)
	now.WriteID = ""
	assert.Equal(t, now, again)
	p.Name = "Other"
	_, err = n.repo.SignUp(t.Context(), p, key)
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	rename := func(name string) (*people.Profile, error) {
		op := n.repo.UpdateOp(first.ID, edit(func(p *people.Profile) { p.Name += name }), dynastay.AgreedOn(name))
		return dynastay.Do(t.Context(), n.DB.DB, op, dynastay.IdempotencyKey("renaming"))
	}
	for range 2 {
		got, err := rename("x")
		require.NoError(t, err)
		assert.Equal(t, "Mikex", got.Name)
	}
	_, err = rename("y")
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

// Of 64 callers who want the same e-mail address, phone number or Cognito id, one gets it, by signing up or by an
// update. Whoever was refused after a lost answer is not told so: the first request may have been the one that got it.
func TestEveryValueHasOneOwner(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	n.Faults.Conflicts(0)
	n.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.05})
	opts := &dynastay.Options{Clock: n.Clock.Now, Retry: dynastay.Retry{Attempts: 500}}
	repos := []*people.Repository{people.New(n.Open(opts), nil), people.New(n.Open(opts), nil)}
	for i := range 16 {
		_, err := people.New(n.Direct, nil).SignUp(t.Context(), buyer(fmt.Sprint("old", i)))
		require.NoError(t, err)
	}
	for field, c := range map[string]struct {
		guard string
		set   func(*people.Profile)
	}{
		"Email":   {"EMAIL#a@example.com", func(p *people.Profile) { p.Email = "A@example.com" }},
		"Phone":   {"PHONE#+27812345678", func(p *people.Profile) { p.Phone = "+27812345678" }},
		"Subject": {"COGNITO#sub-1", func(p *people.Profile) { p.Subject = "sub-1" }},
	} {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var owners []string
		for i := range 64 {
			wg.Go(func() {
				var p *people.Profile
				var err error
				if i%4 == 0 {
					p, err = repos[i%8/4].Update(t.Context(), fmt.Sprint("old", i/4), edit(c.set))
				} else {
					made := buyer(fmt.Sprint(field, i))
					c.set(&made)
					p, err = repos[i%2].SignUp(t.Context(), made)
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					owners = append(owners, p.ID)
				case errors.Is(err, dynastay.ErrOutcomeUnknown):
				case assert.ErrorIs(t, err, dynastay.ErrAlreadyExists):
					assert.ErrorContains(t, err, "("+field+")")
				}
			})
		}
		wg.Wait()
		owner := n.profile(n.row(c.guard, "GUARD").Text("userId"))
		_, value, _ := strings.Cut(c.guard, "#")
		assert.Contains(t, []string{owner.Email, owner.Phone, owner.Subject}, value)
		require.Len(t, owners, 1, field)
		assert.Equal(t, owner.ID, owners[0])
	}
}

// With a secret, keys have no address.
func TestEmailSecret(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	repo := people.New(n.DB.DB, &people.Options{EmailSecret: []byte("secret")})
	b := buyer("b")
	b.Email = "John@example.com"
	made, err := repo.SignUp(t.Context(), b)
	require.NoError(t, err)
	assert.False(t, n.row("EMAIL#john@example.com", "GUARD").Exists())
	// printf john@example.com | openssl dgst -sha256 -hmac secret
	assert.Equal(t, "b", n.row("EMAIL#62f6d956c6a553410a5571d75aaf18a7ceaf78addce3d9999da2e289164e8598", "GUARD").Text("userId"))
	found, err := repo.ByEmail(t.Context(), "JOHN@example.com")
	require.NoError(t, err)
	assert.Equal(t, made, found)
	c := buyer("c")
	c.Email = "john@example.com"
	_, err = repo.SignUp(t.Context(), c)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = repo.Update(t.Context(), "b", edit(func(p *people.Profile) { p.Email = "" }))
	require.NoError(t, err)
	_, err = repo.SignUp(t.Context(), c)
	require.NoError(t, err)
	_, err = repo.ByEmail(t.Context(), "no address")
	assert.Equal(t, "Email", fieldOf(err))
}

// One mailbox is one account, however its domain is written.
func TestInternationalDomains(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	for _, secret := range [][]byte{nil, []byte("secret")} {
		repo := people.New(n.DB.DB, &people.Options{EmailSecret: secret})
		id := fmt.Sprint("b", len(secret))
		b := buyer(id)
		b.Email = "ada@MÜNCHEN.example"
		made, err := repo.SignUp(t.Context(), b)
		require.NoError(t, err)
		for _, email := range []string{"ada@münchen.example", "ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example"} {
			other := buyer("other")
			other.Email = email
			_, err := repo.SignUp(t.Context(), other)
			assert.ErrorIs(t, err, dynastay.ErrAlreadyExists, email)
			found, err := repo.ByEmail(t.Context(), email)
			require.NoError(t, err, email)
			assert.Equal(t, made.ID, found.ID)
		}
	}
}

// Many users are read at once. One who does not exist is missing, and one who cannot be read does not hide the others.
func TestProfiles(t *testing.T) {
	t.Parallel()
	n := newTown(t)
	ids := []string{"nobody"}
	for i := range 101 {
		id := fmt.Sprint("w", i)
		n.signUp(worker(id))
		ids = append(ids, id, id)
	}
	var found map[string]*people.Profile
	var err error
	sent := n.Measure(func() { found, err = n.repo.Profiles(t.Context(), ids, dynastay.Consistent) })
	require.NoError(t, err)
	half := n.Measure(func() { _, err = n.repo.Profiles(t.Context(), ids) })
	require.NoError(t, err)
	assert.Len(t, found, 101)
	assert.Equal(t, "w7", found["w7"].ID)
	assert.Equal(t, 2, sent.Requests)
	assert.Equal(t, 2*half.ReadUnits, sent.ReadUnits, "consistent reads")

	broken := n.raw("w1")
	broken["verified"] = dynastay.Text("yes")
	n.put(broken)
	found, err = n.repo.Profiles(t.Context(), []string{"w1", "w2"})
	var some *dynastay.UnreadableError
	require.ErrorAs(t, err, &some)
	assert.Len(t, some.Items, 1)
	assert.Len(t, found, 1)
	assert.NotNil(t, found["w2"])

	_, err = n.repo.Profiles(t.Context(), []string{"w1", "a#b"})
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "UserIDs[1]", invalid.Field)
}
