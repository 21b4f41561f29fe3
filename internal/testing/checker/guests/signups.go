// Package guests runs and checks the writes of a hotel's users: sign-ups, and points of loyalty.
package guests

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/users"
)

// plain is a stored item without the library.
type plain = map[string]any

// signups are users who want the same e-mail addresses. Who asked stands in the last name.
type signups struct {
	*checker.Run
	keyed checker.Repeats

	mu    sync.Mutex
	asked map[string]*signup // by mark
}

// Join adds the users of the hotel to a run.
func Join(c *checker.Run) {
	c.Add(newSignups(c), 2)
	c.Add(newPoints(c), 12)
}

var emailSecret = []byte("the secret that all processes share") // which keeps addresses out of keys

var usersOf = checker.Each(func(p *checker.Process) *users.Repository {
	return users.New(p.DB, &users.Options{EmailSecret: emailSecret})
})

type signup struct {
	email, id string
	verdict   func() checker.Verdict
}

func newSignups(c *checker.Run) *signups { return &signups{Run: c, asked: map[string]*signup{}} }

func (s *signups) draw(w *checker.Worker) (string, *signup, users.User) {
	// New addresses as the storm goes on, each of them wanted by some.
	mark, email := w.Mark(), fmt.Sprintf("guest-%d@example.com", (int(w.Called())+w.Rand.IntN(200))/200)
	return mark, &signup{email: email}, users.User{Email: email, FirstName: "Guest", LastName: mark, Role: users.Customer}
}

func (s *signups) add(mark string, a *signup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[mark] = a
}

func (s *signups) acknowledged(a *signup, u *users.User) {
	s.mu.Lock()
	other := a.id
	a.id = u.ID
	s.mu.Unlock()
	if other != "" && other != u.ID {
		s.Differ("two users of one key", a.email, "%s and %s", other, u.ID)
	}
}

func (s *signups) Step(w *checker.Worker) {
	if w.OneIn(2) {
		s.keyed.Repeat(w, func() *checker.Once {
			mark, a, u := s.draw(w)
			o := &checker.Once{Key: dynastay.IdempotencyKey(mark), Name: "sign up once", Items: a.email, About: mark, Refusal: checker.Taken("Email")}
			o.Send = func(ctx context.Context, p *checker.Process) error {
				made, err := usersOf(p).Create(ctx, u, o.Key)
				if err == nil {
					s.acknowledged(a, made)
				}
				return err
			}
			a.verdict = o.Verdict
			s.add(mark, a)
			return o
		})
		return
	}
	mark, a, u := s.draw(w)
	v := w.Call("sign up", a.email, mark, checker.Taken("Email"), func(ctx context.Context) error {
		made, err := usersOf(w).Create(ctx, u)
		if err == nil {
			s.acknowledged(a, made)
		}
		return err
	})
	a.verdict = func() checker.Verdict { return v }
	s.add(mark, a)
}

func (s *signups) Settle(w *checker.Worker) { s.keyed.Settle(w) }

// inKeys is an address as keys hold it.
func (s *signups) inKeys(email string) string {
	hash, err := key.HashEmail(emailSecret, email)
	assert.NoError(s.T, err)
	return hash
}

func (s *signups) Check() {
	guards, byMark := map[string]string{}, map[string]plain{}
	owners := map[string]string{}
	for _, p := range s.Scan(keys.UsersTable) {
		if p["PK"] == "CONFIG#email" || strings.HasPrefix(p["SK"].(string), "LOYALTY") {
			continue // the form of the addresses in keys, and the points of others
		}
		if email, ok := strings.CutPrefix(p["PK"].(string), "EMAIL#"); ok {
			guards[email] = p["UserId"].(string)
			continue
		}
		email, mark := p["Email"].(string), p["LastName"].(string)
		if other, twice := owners[email]; twice {
			s.Differ("two users of one address", email, "%s and %s", other, p["UserId"])
		}
		owners[email] = p["UserId"].(string)
		if byMark[mark] != nil {
			s.Differ("one user twice", email, "%s", mark)
		}
		byMark[mark] = p
		if a := s.asked[mark]; a == nil || a.verdict() == checker.Refused || a.email != email || p["GSI1PK"] != "EMAIL#"+s.inKeys(email) {
			s.Differ("a user that was not to be made", email, "%v", p)
		}
	}
	for mark, a := range s.asked {
		if p := byMark[mark]; a.verdict() == checker.Acknowledged && (p == nil || a.id != "" && p["UserId"] != a.id) {
			s.Differ("a user is lost", a.email, "%s %s", mark, a.id)
		}
	}
	byHash := map[string]string{}
	for email, id := range owners {
		byHash[s.inKeys(email)] = id
	}
	for email, id := range guards {
		if byHash[email] != id {
			s.Differ("an address that is kept for nobody", email, "for %s", id)
		}
	}
	for email := range owners {
		if guards[s.inKeys(email)] == "" {
			s.Differ("an address that is not kept", email, "")
		}
	}
}
