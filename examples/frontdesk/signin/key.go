package signin

import "github.com/dynastay/dynastay/keys/key"

// loginKey is the key of a login. The id of its user is that of package users.
type loginKey struct{ UserID string }

func (k *loginKey) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("LOGIN")
}

// sessionKey is the key of a session, beside the login of its user. It has the hash of its token, so that whoever reads the table
// cannot use the session.
type sessionKey struct{ UserID, Hash string }

func (k *sessionKey) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("SESSION#", key.ID("Hash", &k.Hash))
}
