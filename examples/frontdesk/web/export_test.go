package web

import (
	"maps"
	"slices"
)

// StaffRoutes are the pages and forms of the staff.
func StaffRoutes() []string { return slices.Sorted(maps.Keys((&site{}).deskRoutes())) }
