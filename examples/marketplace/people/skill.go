package people

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// MaxSkills is the largest number of skills of a worker.
const MaxSkills = 20

// skill is the item of one skill of a worker. It has ids and the place only, so a profile that changes otherwise does
// not move it.
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
	old, now := map[string]skill{}, r.skillsOf(after)
	if before != nil && !before.isForeign() { // other software does not write the items, see dropSkills
		old = r.skillsOf(before)
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if _, kept := now[name]; kept {
			continue
		}
		at, err := key.Of(keys.Skill{UserID: before.ID, Skill: name})
		if err != nil {
			return err
		}
		tx.Delete(keys.Table, at)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		s := now[name]
		if old[name] == s {
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

// dropSkills deletes the items of skills that a profile no longer has because other software has replaced it.
func (r *Repository) dropSkills(ctx context.Context, tx *dynastay.Tx, p *Profile) error {
	partition, err := key.Partition(keys.Skill{UserID: p.ID})
	if err != nil {
		return err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
		Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Skill]()}, Consistent: true,
	})
	now := r.skillsOf(p)
	for _, row := range rows {
		at := keys.Table.Key.From(row)
		if _, kept := now[strings.TrimPrefix(at.SK, key.SortKind[keys.Skill]())]; !kept {
			tx.Delete(keys.Table, at)
		}
	}
	return err
}

// skillsOf returns the skills of a profile by their folded names. An address is not part of them. Other software may
// have stored a name that no item can have; Validate refuses it.
func (r *Repository) skillsOf(p *Profile) map[string]skill {
	all := map[string]skill{}
	place := p.Location
	place.Address = ""
	for _, name := range p.Work.Skills {
		if checkSkill(name) == nil {
			all[key.Fold(name)] = skill{UserID: p.ID, Skill: name, Location: place}
		}
	}
	return all
}
