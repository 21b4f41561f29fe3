package signin

import "net/http"

// Cookie is the name of the cookie that has the token of a session.
const Cookie = "session"

// NewCookie returns the cookie of a session. Scripts cannot read it, and it is not sent with requests that other sites cause, except by
// links. It lasts some seconds by the browser's clock, and is gone at once if they are negative. A secure one is sent over HTTPS only.
func NewCookie(token string, seconds int, secure bool) *http.Cookie {
	return &http.Cookie{Name: Cookie, Value: token, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}
}
