package checker

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/users"
)

// signups are users who want the same e-mail addresses. Who asked stands in the last name.
type signups struct {
	*checker
	keyed repeats

	mu    sync.Mutex
	asked map[string]*signup // by mark
}

// joinGuests adds the users of the hotel to a run.
func joinGuests(c *checker) {
	c.add(newSignups(c), 2)
	c.add(newPoints(c), 12)
}

var emailSecret = []byte("the secret that all processes share") // which keeps addresses out of keys

var usersOf = each(func(p *process) *users.Repository { return users.New(p.DB, &users.Options{EmailSecret: emailSecret}) })

type signup struct {
	email, id string
	verdict   func() verdict
}

func newSignups(c *checker) *signups { return &signups{checker: c, asked: map[string]*signup{}} }

func (s *signups) draw(w *worker) (string, *signup, users.User) {
	// New addresses as the storm goes on, each of them wanted by some.
	mark, email := w.mark(), fmt.Sprintf("guest-%d@example.com", (int(w.called())+w.rand.IntN(200))/200)
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
		s.differ("two users of one key", a.email, "%s and %s", other, u.ID)
	}
}

func (s *signups) step(w *worker) {
	if w.oneIn(2) {
		s.keyed.call(w, func() *once {
			mark, a, u := s.draw(w)
			o := &once{key: dynastay.IdempotencyKey(mark), name: "sign up once", items: a.email, about: mark, refusal: taken("Email")}
			o.send = func(ctx context.Context, p *process) error {
				made, err := usersOf(p).Create(ctx, u, o.key)
				if err == nil {
					s.acknowledged(a, made)
				}
				return err
			}
			a.verdict = o.verdict
			s.add(mark, a)
			return o
		})
		return
	}
	mark, a, u := s.draw(w)
	v := w.call("sign up", a.email, mark, taken("Email"), func(ctx context.Context) error {
		made, err := usersOf(w.process).Create(ctx, u)
		if err == nil {
			s.acknowledged(a, made)
		}
		return err
	})
	a.verdict = func() verdict { return v }
	s.add(mark, a)
}

func (s *signups) settle(w *worker) { s.keyed.settle(w) }

// inKeys is an address as keys hold it.
func (s *signups) inKeys(email string) string {
	hash, err := key.HashEmail(emailSecret, email)
	assert.NoError(s.t, err)
	return hash
}

func (s *signups) check() {
	guards, byMark := map[string]string{}, map[string]plain{}
	owners := map[string]string{}
	for _, p := range s.scan(keys.UsersTable) {
		if p["PK"] == "CONFIG#email" || strings.HasPrefix(p["SK"].(string), "LOYALTY") {
			continue // the form of the addresses in keys, and the points of others
		}
		if email, ok := strings.CutPrefix(p["PK"].(string), "EMAIL#"); ok {
			guards[email] = p["UserId"].(string)
			continue
		}
		email, mark := p["Email"].(string), p["LastName"].(string)
		if other, twice := owners[email]; twice {
			s.differ("two users of one address", email, "%s and %s", other, p["UserId"])
		}
		owners[email] = p["UserId"].(string)
		if byMark[mark] != nil {
			s.differ("one user twice", email, "%s", mark)
		}
		byMark[mark] = p
		if a := s.asked[mark]; a == nil || a.verdict() == refused || a.email != email || p["GSI1PK"] != "EMAIL#"+s.inKeys(email) {
			s.differ("a user that was not to be made", email, "%v", p)
		}
	}
	for mark, a := range s.asked {
		if p := byMark[mark]; a.verdict() == acknowledged && (p == nil || a.id != "" && p["UserId"] != a.id) {
			s.differ("a user is lost", a.email, "%s %s", mark, a.id)
		}
	}
	byHash := map[string]string{}
	for email, id := range owners {
		byHash[s.inKeys(email)] = id
	}
	for email, id := range guards {
		if byHash[email] != id {
			s.differ("an address that is kept for nobody", email, "for %s", id)
		}
	}
	for email := range owners {
		if guards[s.inKeys(email)] == "" {
			s.differ("an address that is not kept", email, "")
		}
	}
}
