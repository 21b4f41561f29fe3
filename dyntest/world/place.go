package world

import (
	"math"

	"github.com/dynastay/dynastay"
)

// city is a city with hotels.
type city struct {
	weight              int // its share of the hotels, compared with the other cities
	name, state         string
	country             string  // ISO 3166, three letters
	latitude, longitude float64 // of the centre
	zone                string
	level               int // the price of a plain double room in a three-star house, in the currency's major unit
}

// country is a country of hotels and users.
type country struct {
	currency dynastay.Currency
	calling  string // the calling code, without the plus sign
	language string
	names    *names
}

// reach is the largest distance of a hotel from the centre of its city, in metres.
const reach = 8000

var cities = []city{
	{10, "New York", "NY", "USA", 40.7128, -74.0060, "America/New_York", 210},
	{6, "Los Angeles", "CA", "USA", 34.0522, -118.2437, "America/Los_Angeles", 180},
	{5, "Chicago", "IL", "USA", 41.8781, -87.6298, "America/Chicago", 165},
	{5, "Miami", "FL", "USA", 25.7617, -80.1918, "America/New_York", 185},
	{5, "San Francisco", "CA", "USA", 37.7749, -122.4194, "America/Los_Angeles", 200},
	{4, "Toronto", "ON", "CAN", 43.6532, -79.3832, "America/Toronto", 210},
	{3, "Vancouver", "BC", "CAN", 49.2827, -123.1207, "America/Vancouver", 220},
	{3, "Montréal", "QC", "CAN", 45.5017, -73.5673, "America/Toronto", 180},
	{5, "Mexico City", "", "MEX", 19.4326, -99.1332, "America/Mexico_City", 1700},
	{4, "São Paulo", "SP", "BRA", -23.5505, -46.6333, "America/Sao_Paulo", 420},
	{4, "Rio de Janeiro", "RJ", "BRA", -22.9068, -43.1729, "America/Sao_Paulo", 480},
	{4, "Buenos Aires", "", "ARG", -34.6037, -58.3816, "America/Argentina/Buenos_Aires", 90000},
	{2, "Lima", "", "PER", -12.0464, -77.0428, "America/Lima", 260},
	{2, "Bogotá", "", "COL", 4.7110, -74.0721, "America/Bogota", 290000},
	{10, "London", "", "GBR", 51.5074, -0.1278, "Europe/London", 150},
	{3, "Edinburgh", "", "GBR", 55.9533, -3.1883, "Europe/London", 135},
	{3, "Dublin", "", "IRL", 53.3498, -6.2603, "Europe/Dublin", 165},
	{10, "Paris", "", "FRA", 48.8566, 2.3522, "Europe/Paris", 160},
	{3, "Nice", "", "FRA", 43.7102, 7.2620, "Europe/Paris", 140},
	{6, "Amsterdam", "", "NLD", 52.3676, 4.9041, "Europe/Amsterdam", 165},
	{6, "Berlin", "", "DEU", 52.5200, 13.4050, "Europe/Berlin", 115},
	{4, "Munich", "", "DEU", 48.1351, 11.5820, "Europe/Berlin", 135},
	{5, "Vienna", "", "AUT", 48.2082, 16.3738, "Europe/Vienna", 125},
	{3, "Zürich", "", "CHE", 47.3769, 8.5417, "Europe/Zurich", 195},
	{5, "Prague", "", "CZE", 50.0755, 14.4378, "Europe/Prague", 2600},
	{4, "Budapest", "", "HUN", 47.4979, 19.0402, "Europe/Budapest", 36000},
	{7, "Rome", "", "ITA", 41.9028, 12.4964, "Europe/Rome", 140},
	{4, "Milan", "", "ITA", 45.4642, 9.1900, "Europe/Rome", 145},
	{7, "Barcelona", "", "ESP", 41.3851, 2.1734, "Europe/Madrid", 140},
	{5, "Madrid", "", "ESP", 40.4168, -3.7038, "Europe/Madrid", 125},
	{5, "Lisbon", "", "PRT", 38.7223, -9.1393, "Europe/Lisbon", 120},
	{4, "Athens", "", "GRC", 37.9838, 23.7275, "Europe/Athens", 105},
	{6, "Istanbul", "", "TUR", 41.0082, 28.9784, "Europe/Istanbul", 3800},
	{3, "Copenhagen", "", "DNK", 55.6761, 12.5683, "Europe/Copenhagen", 1150},
	{3, "Stockholm", "", "SWE", 59.3293, 18.0686, "Europe/Stockholm", 1350},
	{2, "Reykjavík", "", "ISL", 64.1466, -21.9426, "Atlantic/Reykjavik", 24000},
	{6, "Dubai", "", "ARE", 25.2048, 55.2708, "Asia/Dubai", 480},
	{2, "Kuwait City", "", "KWT", 29.3759, 47.9774, "Asia/Kuwait", 38},
	{3, "Cairo", "", "EGY", 30.0444, 31.2357, "Africa/Cairo", 3600},
	{3, "Marrakesh", "", "MAR", 31.6295, -7.9811, "Africa/Casablanca", 850},
	{2, "Nairobi", "", "KEN", -1.2921, 36.8219, "Africa/Nairobi", 11500},
	{3, "Cape Town", "", "ZAF", -33.9249, 18.4241, "Africa/Johannesburg", 1900},
	{4, "Mumbai", "", "IND", 19.0760, 72.8777, "Asia/Kolkata", 6500},
	{7, "Bangkok", "", "THA", 13.7563, 100.5018, "Asia/Bangkok", 2200},
	{5, "Singapore", "", "SGP", 1.3521, 103.8198, "Asia/Singapore", 210},
	{5, "Hong Kong", "", "HKG", 22.3193, 114.1694, "Asia/Hong_Kong", 950},
	{5, "Seoul", "", "KOR", 37.5665, 126.9780, "Asia/Seoul", 130000},
	{9, "Tokyo", "", "JPN", 35.6762, 139.6503, "Asia/Tokyo", 15000},
	{4, "Kyoto", "", "JPN", 35.0116, 135.7681, "Asia/Tokyo", 16000},
	{5, "Sydney", "NSW", "AUS", -33.8688, 151.2093, "Australia/Sydney", 240},
	{2, "Auckland", "", "NZL", -36.8485, 174.7633, "Pacific/Auckland", 210},
}

var countries = map[string]country{
	"USA": {"USD", "1", "en", english},
	"CAN": {"CAD", "1", "en", english},
	"MEX": {"MXN", "52", "es", iberian},
	"BRA": {"BRL", "55", "pt", iberian},
	"ARG": {"ARS", "54", "es", iberian},
	"PER": {"PEN", "51", "es", iberian},
	"COL": {"COP", "57", "es", iberian},
	"GBR": {"GBP", "44", "en", english},
	"IRL": {"EUR", "353", "en", english},
	"FRA": {"EUR", "33", "fr", french},
	"NLD": {"EUR", "31", "nl", german},
	"DEU": {"EUR", "49", "de", german},
	"AUT": {"EUR", "43", "de", german},
	"CHE": {"CHF", "41", "de", german},
	"CZE": {"CZK", "420", "cs", central},
	"HUN": {"HUF", "36", "hu", central},
	"ITA": {"EUR", "39", "it", italian},
	"ESP": {"EUR", "34", "es", iberian},
	"PRT": {"EUR", "351", "pt", iberian},
	"GRC": {"EUR", "30", "el", aegean},
	"TUR": {"TRY", "90", "tr", aegean},
	"DNK": {"DKK", "45", "da", nordic},
	"SWE": {"SEK", "46", "sv", nordic},
	"ISL": {"ISK", "354", "is", nordic},
	"ARE": {"AED", "971", "ar", arabic},
	"KWT": {"KWD", "965", "ar", arabic},
	"EGY": {"EGP", "20", "ar", arabic},
	"MAR": {"MAD", "212", "ar", arabic},
	"KEN": {"KES", "254", "en", african},
	"ZAF": {"ZAR", "27", "en", african},
	"IND": {"INR", "91", "en", indian},
	"THA": {"THB", "66", "th", asian},
	"SGP": {"SGD", "65", "en", asian},
	"HKG": {"HKD", "852", "zh", asian},
	"KOR": {"KRW", "82", "ko", asian},
	"JPN": {"JPY", "81", "ja", japanese},
	"AUS": {"AUD", "61", "en", english},
	"NZL": {"NZD", "64", "en", english},
}

var cityShares = func() (shares []share[*city]) {
	for i := range cities {
		shares = append(shares, share[*city]{cities[i].weight, &cities[i]})
	}
	return shares
}()

// somewhere returns a place in the city: few are at the edge, many near the centre. It is computed in whole steps of
// 0.00001 degrees, about a metre, so that every machine gets the same result.
func (c *city) somewhere(d dice) (latitude, longitude float64) {
	var north, east int
	for north, east = reach, reach; north*north+east*east > reach*reach; {
		north, east = d.between(-reach, reach), d.between(-reach, reach)
	}
	towards := d.between(0, 1000)
	north, east = north*towards/1000, east*towards/1000
	const step, metres = 1e5, 111320 // metres in a degree of latitude
	northSteps := north * step / metres
	eastSteps := east * step / int(math.Round(metres*math.Cos(c.latitude*math.Pi/180)))
	return float64(int(math.Round(c.latitude*step))+northSteps) / step,
		float64(int(math.Round(c.longitude*step))+eastSteps) / step
}
