package market

// City is a city of the market.
type City struct {
	Name, Country       string
	Latitude, Longitude float64 // of the centre
	TimeZone            string
}

// Cities are the cities of every market. They lead to different keys only if the keys escape their names and keep
// their case.
var Cities = []City{
	{"New York", "USA", 40.7128, -74.0060, "America/New_York"},
	{"new york", "USA", 40.7128, -74.0060, "America/New_York"},
	{"Zürich", "Switzerland", 47.3769, 8.5417, "Europe/Zurich"},
	{"東京", "日本", 35.6762, 139.6503, "Asia/Tokyo"},
	{"A#B", "C", 51.5074, -0.1278, "Europe/London"},
	{"A", "B#C", -33.8688, 151.2093, "Australia/Sydney"},
	{`L'Aquila "Ovest"`, "Italy", 42.3498, 13.3995, "Europe/Rome"},
	{"100%23", "X%", 1.3521, 103.8198, ""},
	{"Taveuni", "Fiji", -16.8497, 179.9791, "Pacific/Fiji"},     // at the antimeridian
	{"Eureka", "Canada", 79.9889, -85.9408, "America/Winnipeg"}, // at 80°, where key.NorthCell begins
}
