// Package signin knows who sends a request: logins with passwords, and sessions in cookies. The persons themselves are those of package
// users.
package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/users"
)

// Table is the table of logins and sessions.
var Table = &dynastay.Schema{Name: "Signins", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, TTL: "ExpiresAt"}

// Role says what a person may do.
type Role string

// The roles.
const (
	Guest     Role = "guest"
	Desk      Role = "desk"      // at the front desk of one property
	Moderator Role = "moderator" // of reviews
)

// Session is a person who has signed in.
type Session struct {
	UserID     string
	Role       Role
	PropertyID string // of the desk
	EndsAt     time.Time
	hash       string
}

// login is what a person signs in with.
type login struct {
	UserID       string
	PasswordHash string
	Role         Role
	PropertyID   string
}

// The reasons why somebody cannot sign in.
var (
	// ErrSignIn means that the email or the password is wrong. Which of the two is not told.
	ErrSignIn = dynastay.Refusal("the email address or the password is wrong")
	// ErrNoSession means that the request has no session, or one that has ended.
	ErrNoSession = dynastay.Refusal("nobody has signed in")
)

// Lasts is how long a session lasts.
const Lasts = 12 * time.Hour

const (
	minPassword = 10 // bytes
	maxPassword = 72 // bcrypt reads no more
)

var logins = entity.New(entity.Spec[login]{
	Name: "Login", Operations: "signin", Schema: Table,
	Key: func(l *login) (dynastay.Key, error) { return key.Of(loginKey{l.UserID}) },
	Codec: entity.Declare(func(f *entity.Fields, l *login) {
		f.String("UserId", &l.UserID)
		f.String("PasswordHash", &l.PasswordHash)
		entity.String(f, "Role", &l.Role)
		f.String("PropertyId", &l.PropertyID)
	}),
})

var sessions = entity.New(entity.Spec[Session]{
	Name: "Session", Operations: "signin", Schema: Table,
	Key: func(s *Session) (dynastay.Key, error) { return key.Of(sessionKey{s.UserID, s.hash}) },
	Codec: entity.Declare(func(f *entity.Fields, s *Session) {
		f.String("TokenHash", &s.hash)
		f.String("UserId", &s.UserID)
		entity.String(f, "Role", &s.Role)
		f.String("PropertyId", &s.PropertyID)
		f.Time("EndsAt", &s.EndsAt)
	}),
	Derived: []entity.Derived[Session]{entity.TTL(Table.TTL, func(s *Session) time.Time { return s.EndsAt })},
})

// Signins signs people up, in and out.
type Signins struct {
	db       *dynastay.DB
	users    *users.Repository
	logins   *entity.Table[login]
	sessions *entity.Table[Session]
	cost     int
	unknown  []byte // a hash that no password has
}

// New returns Signins. The cost of a hash is that of bcrypt; 0 is its default.
func New(db *dynastay.DB, people *users.Repository, cost int) (*Signins, error) {
	if cost == 0 {
		cost = bcrypt.DefaultCost
	}
	unknown, err := bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	if err != nil {
		return nil, err
	}
	return &Signins{db, people, entity.NewTable(db, logins), entity.NewTable(db, sessions), cost, unknown}, nil
}

// SignUp creates a guest's account, user and login, in one transaction. It fails with [dynastay.ErrAlreadyExists] and Field "Email" if
// somebody has the address. 1 request.
func (s *Signins) SignUp(ctx context.Context, u users.User, password string) (*users.User, error) {
	hash, err := s.hash(password)
	if err != nil {
		return nil, err
	}
	if u.ID == "" {
		u.ID = s.db.NewID("user_")
	}
	u.Role = users.Customer
	made := s.users.CreateOp(u)
	if err := s.db.Write(ctx, made, s.logins.CreateOp(&login{UserID: u.ID, PasswordHash: hash, Role: Guest})); err != nil {
		return nil, err
	}
	return made.Result(), nil
}

// Employ lets a user of the platform sign in with a role: at the desk of a property, or as a moderator of all. 1 request.
func (s *Signins) Employ(ctx context.Context, userID string, role Role, propertyID, password string) error {
	hash, err := s.hash(password)
	if err != nil {
		return err
	}
	_, err = s.logins.Create(ctx, &login{UserID: userID, PasswordHash: hash, Role: role, PropertyID: propertyID})
	return err
}

func (s *Signins) hash(password string) (string, error) {
	if len(password) < minPassword || len(password) > maxPassword {
		return "", dynastay.Invalid("Password", "must have %d to %d bytes", minPassword, maxPassword)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), s.cost)
	return string(hash), err
}

// SignIn begins a session, and returns the token of its cookie. It fails with [ErrSignIn]. 5 requests: 2 for the user by the email
// address, the login, the session, and the time of the last login.
func (s *Signins) SignIn(ctx context.Context, email, password string) (token string, _ *Session, err error) {
	l, err := s.loginOf(ctx, email)
	if err != nil {
		return "", nil, err
	}
	if l == nil {
		_ = bcrypt.CompareHashAndPassword(s.unknown, []byte(password)) // it takes as long as a wrong password
		return "", nil, ErrSignIn
	}
	switch err := bcrypt.CompareHashAndPassword([]byte(l.PasswordHash), []byte(password)); {
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword), errors.Is(err, bcrypt.ErrPasswordTooLong):
		return "", nil, ErrSignIn
	case err != nil:
		return "", nil, err
	}
	token = l.UserID + separator + rand.Text()
	begun := &Session{UserID: l.UserID, Role: l.Role, PropertyID: l.PropertyID, EndsAt: s.db.Now().Add(Lasts).Truncate(time.Second), hash: hashOf(token)}
	if begun, err = s.sessions.Create(ctx, begun); err != nil {
		return "", nil, err
	}
	if err := s.users.RecordLogin(ctx, l.UserID); err != nil {
		slog.ErrorContext(ctx, "the time of a login", "error", err) // that is no reason to keep the guest out
	}
	return token, begun, nil
}

// separator divides the id of the user from the secret in a token, which has none.
const separator = "."

// loginOf returns nil if nobody can sign in with the address.
func (s *Signins) loginOf(ctx context.Context, email string) (*login, error) {
	u, err := s.users.ByEmail(ctx, email, dynastay.Consistent)
	if err == nil {
		var at dynastay.Key
		if at, err = key.Of(loginKey{u.ID}); err == nil {
			var l *login
			if l, err = s.logins.Get(ctx, at, dynastay.Consistent); err == nil {
				return l, nil
			}
		}
	}
	if errors.Is(err, dynastay.ErrNotFound) || errors.Is(err, dynastay.ErrInvalid) {
		return nil, nil
	}
	return nil, err
}

// Session returns the session of a token, or [ErrNoSession]. The read is consistent: who has signed out is out. 1 request.
func (s *Signins) Session(ctx context.Context, token string) (*Session, error) {
	at, err := keyOf(token)
	if err != nil {
		return nil, err
	}
	found, err := s.sessions.Get(ctx, at, dynastay.Consistent)
	// DynamoDB deletes what has expired within days.
	if errors.Is(err, dynastay.ErrNotFound) || err == nil && !s.db.Now().Before(found.EndsAt) {
		return nil, ErrNoSession
	}
	return found, err
}

// SignOut ends a session. 1 request.
func (s *Signins) SignOut(ctx context.Context, token string) error {
	at, err := keyOf(token)
	if err != nil {
		return err
	}
	err = s.sessions.Delete(ctx, at)
	if errors.Is(err, dynastay.ErrNotFound) {
		return nil
	}
	return err
}

// keyOf returns the key of the session of a token, or [ErrNoSession].
func keyOf(token string) (dynastay.Key, error) {
	end := strings.LastIndex(token, separator)
	if end < 0 {
		return dynastay.Key{}, ErrNoSession
	}
	at, err := key.Of(sessionKey{token[:end], hashOf(token)})
	if err != nil {
		return dynastay.Key{}, ErrNoSession
	}
	return at, nil
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
