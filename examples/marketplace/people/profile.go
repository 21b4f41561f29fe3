package people

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
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

// maxPictures is the largest number of pictures in a portfolio.
const maxPictures = 50

// Validate returns a [*dynastay.InvalidError] for an invalid profile: without a name, a known role or a city, with an
// invalid e-mail address or phone number, with more than [MaxSkills] skills or a skill that is listed twice, or with
// fields of another role. Texts are limited to [entity.MaxName] bytes, the bio to [entity.MaxNote], URLs to
// [entity.MaxURL].
func (p *Profile) Validate() error {
	if err := p.Role.validate(); err != nil {
		return err
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Name", p.Name, entity.MaxName},
		{"Location.Address", p.Location.Address, entity.MaxName},
		{"Location.City", p.Location.City, entity.MaxName},
		{"Location.Province", p.Location.Province, entity.MaxName},
		{"Work.Bio", p.Work.Bio, entity.MaxNote},
		{"Work.IDNumber", p.Work.IDNumber, entity.MaxName},
		{"Shop.BusinessName", p.Shop.BusinessName, entity.MaxName},
		{"Shop.BusinessType", p.Shop.BusinessType, entity.MaxName},
		{"Shop.Contact", p.Shop.Contact, entity.MaxName},
		{"Shop.Registration", p.Shop.Registration, entity.MaxName},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch {
	case p.Role == Seller && strings.TrimSpace(p.Shop.BusinessName) == "":
		return dynastay.Invalid("Shop.BusinessName", "is required")
	case p.Role != Seller && strings.TrimSpace(p.Name) == "":
		return dynastay.Invalid("Name", "is required")
	case p.Role != Worker && !p.Work.isZero():
		return dynastay.Invalid("Work", "is only for workers")
	case p.Role != Seller && p.Shop != (Shop{}):
		return dynastay.Invalid("Shop", "is only for sellers")
	}
	if _, err := key.SortPrefix(keys.ProfileByCity{City: p.Location.City}); err != nil {
		return dynastay.Within("Location", err)
	}
	if p.Subject != "" {
		if err := checkSubject(p.Subject); err != nil {
			return err
		}
	}
	if p.Email != "" {
		if _, err := key.NormalEmail(p.Email); err != nil {
			return err
		}
	}
	if p.Phone != "" {
		if err := checkPhone(p.Phone); err != nil {
			return err
		}
	}
	if _, err := key.PlaceOf(p.Location.Latitude, p.Location.Longitude); err != nil {
		return dynastay.Within("Location", err)
	}
	if err := p.Shop.validate(); err != nil {
		return dynastay.Within("Shop", err)
	}
	return dynastay.Within("Work", p.Work.validate())
}

func (r Role) validate() error {
	if r != Buyer && r != Worker && r != Seller {
		return dynastay.Invalid("Role", "must be BUYER, WORKER or SELLER")
	}
	return nil
}

func checkSubject(subject string) error {
	_, err := key.Of(keys.CognitoGuard{Sub: subject})
	return renamed("Subject", err)
}

func checkPhone(phone string) error {
	if !e164.MatchString(phone) {
		return dynastay.Invalid("Phone", "must be an E.164 number such as +27812345678")
	}
	return nil
}

// checkSkill returns an error without a field if a skill cannot be stored.
func checkSkill(name string) error {
	_, err := key.Of(keys.Skill{UserID: "any", Skill: name})
	return cmp.Or(entity.CheckText(name, entity.MaxName), renamed("", err))
}

// renamed replaces the field of an error from a key by the caller's name for it.
func renamed(field string, err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return dynastay.Invalid(field, "%s", invalid.Reason)
}

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

func (w *Work) isZero() bool {
	return len(w.Skills) == 0 && len(w.Portfolio) == 0 && w.Bio == "" && w.IDNumber == "" && !w.IDVerified && w.ResponseTime == 0
}

func (w *Work) validate() error {
	switch {
	case len(w.Skills) > MaxSkills:
		return dynastay.Invalid("Skills", "must be at most %d, got %d", MaxSkills, len(w.Skills))
	case len(w.Portfolio) > maxPictures:
		return dynastay.Invalid("Portfolio", "must be at most %d URLs, got %d", maxPictures, len(w.Portfolio))
	case w.ResponseTime < 0:
		return dynastay.Invalid("ResponseTime", "must not be negative")
	}
	seen := map[string]bool{}
	for i, name := range w.Skills {
		folded, field := key.Fold(name), "Skills["+strconv.Itoa(i)+"]"
		if err := checkSkill(name); err != nil {
			return dynastay.Within(field, err)
		}
		if seen[folded] {
			return dynastay.Invalid(field, "is listed twice: %q", name)
		}
		seen[folded] = true
	}
	for i, url := range w.Portfolio {
		if err := entity.CheckText(url, entity.MaxURL); err != nil {
			return dynastay.Within("Portfolio["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

func (s *Shop) validate() error {
	switch {
	case s.Radius < 0:
		return dynastay.Invalid("Radius", "must not be negative")
	case s.FreeOver.Sign() < 0:
		return dynastay.Invalid("FreeOver", "must not be negative")
	case s.FreeOver != (dynastay.Money{}) && s.FreeOver.Currency() != currency:
		return dynastay.Invalid("FreeOver", "must be in %s, got %s", currency, s.FreeOver.Currency())
	case s.FreeOver.IsSet():
		return dynastay.Within("FreeOver", s.FreeOver.Validate())
	}
	return nil
}
