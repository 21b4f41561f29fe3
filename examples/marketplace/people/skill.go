package people

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// MaxSkills is the largest number of skills of a worker.
const MaxSkills = 20

// skill is the item of one skill of a worker. It has ids and the place only, so a profile that changes otherwise does not
// move it.
type skill struct {
	UserID   string
	Skill    string // as the worker spells it
	Location Location
}

func (r *Repository) newSkills() *entity.Entity[skill] {
	return entity.New(entity.Spec[skill]{
		Name: "Skill", Operations: "people", Schema: keys.Table,
		Key: func(s *skill) (dynastay.Key, error) { return key.Of(keys.Skill{UserID: s.UserID, Skill: s.Skill}) },
		Codec: entity.Declare(func(f *entity.Fields, s *skill) {
			f.Const("entityType", "SKILL")
			f.String("userId", &s.UserID)
			f.String("skill", &s.Skill)
			declareLocation(f, &s.Location)
		}),
		Indexes: map[string]func(*skill) (dynastay.Key, error){
			keys.Index1: func(s *skill) (dynastay.Key, error) {
				return key.Of(keys.SkillByCity{
					Skill: s.Skill, Shard: r.opts.Shards.Of(s.UserID), City: s.Location.City, UserID: s.UserID,
				})
			},
			keys.Index2: func(s *skill) (dynastay.Key, error) {
				place, err := key.PlaceOf(s.Location.Latitude, s.Location.Longitude)
				if err != nil {
					return dynastay.Key{}, err
				}
				return key.Of(keys.SkillByPlace{Skill: s.Skill, Cell: place.Cell, Geohash: place.Geohash, UserID: s.UserID})
			},
		},
	})
}

// moveSkills writes the items of the skills that an update of the profile adds, moves or removes.
func (r *Repository) moveSkills(tx *dynastay.Tx, before, after *Profile) error {
	old, err := r.skillsOf(before)
	if err != nil {
		return err
	}
	now, err := r.skillsOf(after)
	if err != nil {
		return err
	}
	for at := range old {
		if _, kept := now[at]; !kept {
			tx.Delete(keys.Table, at)
		}
	}
	foreign := before != nil && before.WriteID == "" // other software does not write the items
	for at, s := range now {
		if was, there := old[at]; there && was == s && !foreign {
			continue
		}
		item, err := r.skill.Item(&s)
		if err != nil {
			return err
		}
		tx.Put(keys.Table, item)
	}
	return nil
}

// skillsOf returns the items of the skills that a profile should have, by key. An address is not part of them.
func (r *Repository) skillsOf(p *Profile) (map[dynastay.Key]skill, error) {
	all := map[dynastay.Key]skill{}
	if p == nil {
		return all, nil
	}
	place := p.Location
	place.Address = ""
	for _, name := range p.Work.Skills {
		s := skill{UserID: p.ID, Skill: name, Location: place}
		at, err := r.skill.Key(&s)
		if err != nil {
			return nil, dynastay.Invalid("Work.Skills", "must contain words, got %q", name)
		}
		all[at] = s
	}
	return all, nil
}
