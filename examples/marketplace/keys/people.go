package keys

import (
	"time"

	"github.com/dynastay/dynastay/keys/key"
)

// Profile is the item of a user: USER#{UserID} / PROFILE.
type Profile struct{ UserID string }

func (k *Profile) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("PROFILE")
}

// CognitoGuard is the item that lets only one user have a sign-in id: COGNITO#{Sub} / GUARD.
type CognitoGuard struct{ Sub string }

func (k *CognitoGuard) Form(f *key.Form) {
	f.PK("COGNITO#", key.ID("Sub", &k.Sub))
	f.SK("GUARD")
}

// EmailGuard is the item that lets only one user have an address: EMAIL#{Email} / GUARD.
type EmailGuard struct{ Email string }

func (k *EmailGuard) Form(f *key.Form) {
	f.PK("EMAIL#", key.Email("Email", &k.Email))
	f.SK("GUARD")
}

// PhoneGuard is the item that lets only one user have a phone number: PHONE#{Phone} / GUARD.
type PhoneGuard struct{ Phone string }

func (k *PhoneGuard) Form(f *key.Form) {
	f.PK("PHONE#", key.ID("Phone", &k.Phone))
	f.SK("GUARD")
}

// ProfileByCity is the row of a [Profile] in [Index1]: ROLE#{Role} / LOCATION#{City}#USER#{UserID}.
type ProfileByCity struct {
	Role   string
	Shard  int
	City   string
	UserID string
}

func (k *ProfileByCity) Form(f *key.Form) {
	f.PK("ROLE#", key.ID("Role", &k.Role), key.Shard("Shard", &k.Shard))
	f.SK("LOCATION#", key.Text("City", &k.City), "#USER#", key.ID("UserID", &k.UserID))
}

// ProfileByPlace is the row of a [Profile] in [Index2]: GEOCELL#{Role}#{Cell} / {Geohash}#USER#{UserID}.
type ProfileByPlace struct{ Role, Cell, Geohash, UserID string }

func (k *ProfileByPlace) Form(f *key.Form) {
	f.PK("GEOCELL#", key.ID("Role", &k.Role), "#", key.Cell("Cell", &k.Cell))
	f.SK(key.Geohash("Geohash", &k.Geohash, geohashCharacters), "#USER#", key.ID("UserID", &k.UserID))
}

const geohashCharacters = 9

// Skill is the item of a worker's skill: USER#{UserID} / SKILL#{Skill}.
type Skill struct{ UserID, Skill string }

func (k *Skill) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("SKILL#", key.Folded("Skill", &k.Skill))
}

// SkillByCity is the row of a [Skill] in [Index1]: ROLE#WORKER#SKILL#{Skill} / LOCATION#{City}#USER#{UserID}.
type SkillByCity struct {
	Skill  string
	Shard  int
	City   string
	UserID string
}

func (k *SkillByCity) Form(f *key.Form) {
	f.PK("ROLE#WORKER#SKILL#", key.Folded("Skill", &k.Skill), key.Shard("Shard", &k.Shard))
	f.SK("LOCATION#", key.Text("City", &k.City), "#USER#", key.ID("UserID", &k.UserID))
}

// SkillByPlace is the row of a [Skill] in [Index2]: GEOCELL#WORKER#SKILL#{Skill}#{Cell} / {Geohash}#USER#{UserID}.
type SkillByPlace struct{ Skill, Cell, Geohash, UserID string }

func (k *SkillByPlace) Form(f *key.Form) {
	f.PK("GEOCELL#WORKER#SKILL#", key.Folded("Skill", &k.Skill), "#", key.Cell("Cell", &k.Cell))
	f.SK(key.Geohash("Geohash", &k.Geohash, geohashCharacters), "#USER#", key.ID("UserID", &k.UserID))
}

// Review is the item of a review that a user has received: USER#{RevieweeID} / REVIEW#{AboutID}#{ReviewerID}. AboutID
// is the id of a project or of an order.
type Review struct{ RevieweeID, AboutID, ReviewerID string }

func (k *Review) Form(f *key.Form) {
	f.PK("USER#", key.ID("RevieweeID", &k.RevieweeID))
	f.SK("REVIEW#", key.ID("AboutID", &k.AboutID), "#", key.ID("ReviewerID", &k.ReviewerID))
}

// UserProject is the item that lists a project under its buyer: USER#{UserID} / PROJECT#{CreatedAt}#{ProjectID}.
type UserProject struct {
	UserID    string
	CreatedAt time.Time
	ProjectID string
}

func (k *UserProject) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("PROJECT#", key.Instant("CreatedAt", &k.CreatedAt), "#", key.ID("ProjectID", &k.ProjectID))
}

// UserBid is the item that lists a bid under its worker: USER#{UserID} / BID#{CreatedAt}#{ProjectID}.
type UserBid struct {
	UserID    string
	CreatedAt time.Time
	ProjectID string
}

func (k *UserBid) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("BID#", key.Instant("CreatedAt", &k.CreatedAt), "#", key.ID("ProjectID", &k.ProjectID))
}

// UserOrder is the item that lists an order under its buyer and under its seller:
// USER#{UserID} / ORDER#{CreatedAt}#{OrderID}.
type UserOrder struct {
	UserID    string
	CreatedAt time.Time
	OrderID   string
}

func (k *UserOrder) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("ORDER#", key.Instant("CreatedAt", &k.CreatedAt), "#", key.ID("OrderID", &k.OrderID))
}
