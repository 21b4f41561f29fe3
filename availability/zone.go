package availability

import (
	"path"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// zoneCache keeps the time zones that were asked for: reading one from its file takes longer than all else that is
// computed for a quote. It keeps what the zone database has, and nothing of what it has not.
type zoneCache struct {
	mu     sync.RWMutex
	loaded map[string]*time.Location
}

var zones = zoneCache{loaded: map[string]*time.Location{}}

func (z *zoneCache) load(name string) (*time.Location, error) {
	z.mu.RLock()
	loc := z.loaded[name]
	z.mu.RUnlock()
	if loc != nil {
		return loc, nil
	}
	loc, err := time.LoadLocation(name)
	// "Local" is wherever this process runs. "Europe//Rome" is the file of a zone, under one of any number of names.
	if err != nil || name == "Local" || name != "" && name != path.Clean(name) {
		return nil, dynastay.Invalid("TimeZone", "is not an IANA time zone")
	}
	z.mu.Lock()
	z.loaded[name] = loc
	z.mu.Unlock()
	return loc, nil
}
