package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay/users"

	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// Signed is the part of a request that says who sends it.
type Signed struct {
	Token string `cookie:"session" hidden:"true"` // described by the scheme
}

func (Signed) security() []map[string][]string { return []map[string][]string{{signin.Cookie: {}}} }

// Visitor is [Signed] for requests that anybody may send.
type Visitor struct{ Signed }

func (Visitor) security() []map[string][]string {
	return []map[string][]string{{signin.Cookie: {}}, {}}
}

type accountIn struct {
	Body struct {
		Email     string `json:"email" format:"email"`
		Password  string `json:"password" minLength:"10" maxLength:"72"`
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
	}
}

type accountOut struct {
	Body struct {
		UserID string `json:"userId"`
	}
}

func (s *server) signUp(ctx context.Context, in *accountIn) (*accountOut, error) {
	b := in.Body
	u, err := s.house.Signins.SignUp(ctx, users.User{Email: b.Email, FirstName: b.FirstName, LastName: b.LastName}, b.Password)
	if err != nil {
		return nil, err
	}
	out := &accountOut{}
	out.Body.UserID = u.ID
	return out, nil
}

type signInIn struct {
	Body struct {
		Email    string `json:"email" maxLength:"254"`
		Password string `json:"password" maxLength:"72"`
	}
}

type sessionOut struct {
	Cookie http.Cookie `header:"Set-Cookie"`
	Body   struct {
		UserID string    `json:"userId"`
		Role   string    `json:"role" enum:"guest,desk"`
		EndsAt time.Time `json:"endsAt"`
	}
}

func (s *server) signIn(ctx context.Context, in *signInIn) (*sessionOut, error) {
	token, begun, err := s.house.Signins.SignIn(ctx, in.Body.Email, in.Body.Password)
	if err != nil {
		return nil, err
	}
	out := &sessionOut{Cookie: *signin.NewCookie(token, int(signin.Lasts.Seconds()), s.secure)}
	out.Body.UserID, out.Body.Role, out.Body.EndsAt = begun.UserID, string(begun.Role), begun.EndsAt
	return out, nil
}

type signOutOut struct {
	Cookie http.Cookie `header:"Set-Cookie"`
}

func (s *server) signOut(ctx context.Context, in *Signed) (*signOutOut, error) {
	if in.Token == "" {
		return nil, signin.ErrNoSession
	}
	gone := *signin.NewCookie("", -1, s.secure)
	return &signOutOut{gone}, s.house.Signins.SignOut(ctx, in.Token)
}

func (s *server) sessions(a huma.API) {
	const bad, out, refused, invalid = http.StatusBadRequest, http.StatusUnauthorized, http.StatusConflict, http.StatusUnprocessableEntity
	handle(a, operation("sign-up", http.MethodPost, "/v1/accounts", "Create an account", http.StatusCreated, bad, refused, invalid), s.signUp)
	handle(a, operation("sign-in", http.MethodPost, "/v1/session", "Sign in: the answer sets the cookie of the session", http.StatusCreated,
		out, invalid), s.signIn)
	handle(a, operation("sign-out", http.MethodDelete, "/v1/session", "Sign out", http.StatusNoContent), s.signOut)
}
