package people

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Role is what a user does in the marketplace. It never changes.
type Role string

// The roles.
const (
	Buyer  Role = "BUYER"
	Worker Role = "WORKER"
	Seller Role = "SELLER"
)

// Profile is a user. The fields of Work are only for workers, those of Shop only for sellers.
type Profile struct {
	ID            string
	Role          Role
	Name          string // of a buyer or a worker; a seller has a business name and a contact
	Subject       string // the user's id in Cognito, optional; it belongs to one user only
	Email         string // optional; it belongs to one user only
	Phone         string // E.164, such as +27812345678; optional; it belongs to one user only
	Location      Location
	Verified      bool // set by the caller, never from a form that the user filled in; the same goes for the other flags
	PhoneVerified bool // see [Repository.VerifyPhone]
	Work          Work
	Shop          Shop

	// The library keeps the counters, see the package's comment.
	TrustScore     dynastay.Rating // the mean of the ratings, 1.0 to 5.0, in tenths: 46 is 4.6; 0 without ratings
	Ratings        int
	Stars          int     // the sum of the ratings
	Projects       int     // posted
	Jobs           int     // completed
	Ended          int     // completed or left
	CompletionRate float64 // Jobs / Ended, from 0 to 1
	Orders         int     // delivered

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int // 1 for a new profile, incremented by every update
	WriteID   dynastay.WriteID
}

// Location is where a user lives or works.
type Location struct {
	Address   string
	City      string // required; searches find it in this spelling
	Province  string
	Latitude  float64 // decimal degrees
	Longitude float64
}

// Work is what a worker offers.
type Work struct {
	Skills       []string // at most MaxSkills
	Bio          string
	IDNumber     string // the hash of a number, see [HashIDNumber]
	IDVerified   bool
	ResponseTime int // the average time until the worker responds, in minutes
	Portfolio    []string
}

// Shop is a seller's business.
type Shop struct {
	BusinessName string
	BusinessType string
	Contact      string
	Registration string
	Verified     bool
	Delivers     bool
	Radius       int            // of deliveries, in kilometres
	FreeOver     dynastay.Money // ZAR; orders of at least this amount are delivered for free
}

// DisplayName is the name under which others see the user: a seller's business name, or the name.
func (p *Profile) DisplayName() string {
	if p.Role == Seller {
		return p.Shop.BusinessName
	}
	return p.Name
}

// The counters.
const (
	attrTrustScore     = "trustScore"
	attrRatings        = "ratingCount"
	attrStars          = "ratingSum"
	attrProjects       = "totalProjects"
	attrJobs           = "totalJobs"
	attrEnded          = "endedJobs"
	attrCompletionRate = "completionRate"
	attrOrders         = "totalOrders"
	attrRatingMoves    = "ratingMoves" // no field: only the counting itself uses it
)

func declareProfile(f *entity.Fields, p *Profile) {
	f.String("userId", &p.ID)
	entity.String(f, "entityType", &p.Role)
	f.String("name", &p.Name)
	f.String("cognitoSub", &p.Subject)
	f.String("email", &p.Email)
	f.String("phone", &p.Phone)
	declareLocation(f, &p.Location)
	f.Bool("verified", &p.Verified)
	f.Bool("phoneVerified", &p.PhoneVerified)

	f.Strings("skills", &p.Work.Skills)
	f.String("bio", &p.Work.Bio)
	f.String("idNumber", &p.Work.IDNumber)
	f.IfSet().Bool("idVerified", &p.Work.IDVerified)
	f.IfSet().Int("avgResponseTime", &p.Work.ResponseTime)
	f.Strings("portfolio", &p.Work.Portfolio)

	f.String("businessName", &p.Shop.BusinessName)
	f.String("businessType", &p.Shop.BusinessType)
	f.String("contactName", &p.Shop.Contact)
	f.String("businessReg", &p.Shop.Registration)
	f.IfSet().Bool("businessVerified", &p.Shop.Verified)
	f.Map("deliveryOptions", func(f *entity.Fields) {
		f.IfSet().Bool("canDeliver", &p.Shop.Delivers)
		f.IfSet().Int("deliveryRadius", &p.Shop.Radius)
		f.Amount("freeDeliveryOver", currency, &p.Shop.FreeOver)
	})

	f.IfSet().Rating(attrTrustScore, &p.TrustScore)
	f.IfSet().Int(attrRatings, &p.Ratings)
	f.IfSet().Int(attrStars, &p.Stars)
	f.IfSet().Int(attrProjects, &p.Projects)
	f.IfSet().Int(attrJobs, &p.Jobs)
	f.IfSet().Int(attrEnded, &p.Ended)
	f.IfSet().Float(attrCompletionRate, &p.CompletionRate)
	f.IfSet().Int(attrOrders, &p.Orders)

	f.Time("createdAt", &p.CreatedAt)
	f.Time("updatedAt", &p.UpdatedAt)
	f.IfSet().Int("version", &p.Version)
	f.WriteID(keys.AttrWriteID, &p.WriteID)
}

// currency is that of an amount without a currency of its own.
const currency = "ZAR"

func declareLocation(f *entity.Fields, l *Location) {
	f.Map("location", func(f *entity.Fields) {
		f.String("address", &l.Address)
		f.Float("lat", &l.Latitude)
		f.Float("lng", &l.Longitude)
		f.String("city", &l.City)
		f.String("province", &l.Province)
	})
}

func (r *Repository) newProfiles() *entity.Entity[Profile] {
	return entity.New(entity.Spec[Profile]{
		Name: "User", Operations: "people", Schema: keys.Table, Validate: (*Profile).Validate,
		ID: "userId", Prefix: "user_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Counters: []string{
			attrTrustScore, attrRatings, attrStars, attrProjects, attrJobs, attrEnded, attrCompletionRate, attrOrders,
		},
		Key:    func(p *Profile) (dynastay.Key, error) { return key.Of(keys.Profile{UserID: p.ID}) },
		IDOf:   func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "USER#") },
		Codec:  entity.Declare(declareProfile),
		Follow: r.moveSkills,
		Indexes: map[string]func(*Profile) (dynastay.Key, error){
			keys.Index1: func(p *Profile) (dynastay.Key, error) {
				return key.Of(keys.ProfileByCity{
					Role: string(p.Role), Shard: r.opts.Shards.Of(p.ID), City: p.Location.City, UserID: p.ID,
				})
			},
			keys.Index2: func(p *Profile) (dynastay.Key, error) {
				place, err := key.PlaceOf(p.Location.Latitude, p.Location.Longitude)
				if err != nil {
					return dynastay.Key{}, err
				}
				return key.Of(keys.ProfileByPlace{Role: string(p.Role), Cell: place.Cell, Geohash: place.Geohash, UserID: p.ID})
			},
		},
		Unique: []entity.Unique[Profile]{
			{
				Field: "Subject", Owner: []string{"userId"},
				Guard: func(p *Profile) (dynastay.Key, error) {
					if p.Subject == "" {
						return dynastay.Key{}, nil
					}
					at, err := key.Of(keys.CognitoGuard{Sub: p.Subject})
					return at, renamed("Subject", err)
				},
			},
			{
				Field: "Email", Owner: []string{"userId"},
				Guard: func(p *Profile) (dynastay.Key, error) {
					if p.Email == "" {
						return dynastay.Key{}, nil
					}
					text := p.Email
					if secret := r.opts.EmailSecret; len(secret) > 0 {
						var err error
						if text, err = key.HashEmail(secret, text); err != nil {
							return dynastay.Key{}, err
						}
					}
					return key.Of(keys.EmailGuard{Email: text})
				},
			},
			{
				Field: "Phone", Owner: []string{"userId"},
				Guard: func(p *Profile) (dynastay.Key, error) {
					if p.Phone == "" {
						return dynastay.Key{}, nil
					}
					return key.Of(keys.PhoneGuard{Phone: p.Phone})
				},
			},
		},
	})
}
