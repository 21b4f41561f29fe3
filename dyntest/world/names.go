package world

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// names are the names of people in a part of the world.
type names struct{ first, last []string }

func namesOf(first, last string) *names { return &names{strings.Fields(first), strings.Fields(last)} }

var (
	english = namesOf(
		"Ada Alice Amelia Ben Charlotte Daniel Ella Emily George Grace Hannah Harry Isla Jack James Leo Lily Mason Noah Olivia Oscar Ruby Sophie Thomas",
		"Adams Baker Bennett Brown Byron Carter Clarke Cooper Evans Fisher Harris Hughes Johnson Kelly Mitchell Morgan Parker Reed Smith Taylor Turner Walker Ward Wright")
	iberian = namesOf(
		"Ana Beatriz Camila Carlos Carmen Diego Elena Gabriel Inês Isabel Javier João Juan Lucía Luís María Mateo Miguel Pablo Paula Rafael Sofía Tiago Valentina",
		"Almeida Álvarez Castro Costa Cruz Díaz Fernández Ferreira Flores García Gómez Gonçalves Gutiérrez Herrera López Martínez Mendoza Morales Oliveira Pereira Ramírez Rojas Santos Silva")
	french = namesOf(
		"Alice Antoine Camille Chloé Clément Élise Emma Gabriel Hugo Inès Jules Juliette Léa Louis Lucas Manon Mathilde Nathan Noémie Paul Raphaël Théo Victor Zoé",
		"André Bernard Blanc Bonnet Chevalier Dubois Durand Fontaine Fournier Garnier Girard Lambert Laurent Lefèvre Leroy Martin Mercier Moreau Petit Renard Richard Robert Rousseau Simon")
	german = namesOf(
		"Anna Anton Clara Daan Elias Emma Felix Finn Frieda Greta Hannah Ida Jan Jonas Julia Lena Leon Lotte Lukas Marie Max Mila Paul Sanne",
		"Bakker Bauer Becker Braun Fischer Fuchs Graf Hofer Huber Jansen Keller Klein Koch Krüger Lang Maier Müller Richter Schmid Schneider Visser Wagner Weber Wolf")
	central = namesOf(
		"Adéla Anna Balázs Barbora Dávid Eliška Eszter Filip Hana Jakub Jan Judit Katalin Klára László Márton Matěj Nóra Ondřej Petr Tamás Tereza Tomáš Zsófia",
		"Balogh Černý Dvořák Farkas Fiala Horváth Kiss Kolář Kovács Kučera Marek Molnár Nagy Němec Novák Novotný Papp Pospíšil Procházka Szabó Tóth Varga Veselý Zelený")
	italian = namesOf(
		"Alessandro Alice Andrea Anna Aurora Beatrice Chiara Davide Elena Federico Francesca Gaia Giorgia Giulia Leonardo Lorenzo Luca Marco Martina Matteo Paolo Riccardo Sara Tommaso",
		"Barbieri Bianchi Bruno Caruso Colombo Conti Costa DeLuca Esposito Ferrari Fontana Gallo Greco Lombardi Mancini Marino Moretti Rinaldi Ricci Rizzo Romano Rossi Russo Santoro")
	aegean = namesOf(
		"Alexandros Ayşe Cem Defne Deniz Dimitra Elif Emre Eleni Giorgos Ioanna Kerem Konstantinos Maria Mehmet Nikos Ömer Panagiotis Selin Sofia Vasiliki Yannis Yusuf Zeynep",
		"Aksoy Angelou Arslan Aydın Çelik Demir Dimou Doğan Georgiou Ioannou Kaya Kılıç Makris Nikolaou Özdemir Öztürk Pappas Petrou Şahin Samaras Vlachos Yıldız Yılmaz Zografos")
	nordic = namesOf(
		"Agnes Alma Anders Anna Astrid Björn Elin Emil Erik Freja Guðrún Gustav Hugo Ida Ingrid Jón Karl Lars Liv Maja Nils Oskar Sigrún Signe",
		"Andersen Andersson Bergström Christensen Dahl Eriksson Gunnarsson Hansen Holm Jensen Johansson Jónsdóttir Karlsson Larsen Lindberg Lund Madsen Nilsson Nyström Pedersen Rasmussen Sigurðsson Svensson Sørensen")
	arabic = namesOf(
		"Ahmed Aisha Ali Amina Fatima Hamza Hassan Huda Ibrahim Karim Khalid Laila Leila Mariam Mohammed Nadia Noura Omar Rania Salma Samir Tariq Yasmin Youssef",
		"Alami Amin AlMansoori AlSabah Bakr Benali Farouk Fahmy Haddad Hassan Hosny Idrissi Kamal Khalil Mahmoud Mansour Mostafa Nasser Rahman Saleh Sherif Tazi Yousef Zaki")
	african = namesOf(
		"Achieng Akinyi Amahle Brian Faith Grace Johan John Joy Kagiso Kamau Lerato Lwazi Mary Mwende Naledi Njeri Otieno Peter Pieter Sipho Thabo Wanjiku Zanele",
		"Botha Chege Dlamini Jacobs Kariuki Khumalo Kimani Kiptoo Mbeki Mokoena Molefe Mutua Mwangi Naidoo Ndlovu Nel Njoroge Nkosi Ochieng Odhiambo Onyango Sithole VanWyk Zulu")
	indian = namesOf(
		"Aarav Aditi Ananya Anika Arjun Deepa Dev Diya Ishaan Kabir Kavya Lakshmi Meera Neha Nikhil Pooja Priya Rahul Riya Rohan Sanjay Tara Vikram Vivaan",
		"Bhat Chopra Das Desai Dutta Gupta Iyer Jain Joshi Kapoor Khan Kulkarni Mehta Menon Mishra Nair Patel Rao Reddy Shah Sharma Singh Verma Yadav")
	asian = namesOf(
		"Alan Anong Chai Eunji Haneul Hui Jia Jihoon Jun Kanya Ling Mei Minho Minjun Niran Seoyeon Siti Somchai Suda Wei Wen Xin Yuna Yuxuan",
		"Chan Chen Cheung Choi Ho Jung Kang Kim Lau Lee Leung Lim Ng Ong Park Saetang Srisai Suwan Tan Tran Wang Wong Yeung Yoon")
	japanese = namesOf(
		"Aiko Akari Daiki Emi Haruka Haruto Hiroshi Kaito Kenji Mei Minato Naoko Ren Riku Sakura Satoshi Sora Takumi Tomoko Yui Yuki Yuma Yuna Yuto",
		"Abe Endo Fujita Goto Hasegawa Hayashi Ito Kato Kimura Kobayashi Matsumoto Mori Nakamura Ogawa Okada Saito Sasaki Sato Shimizu Suzuki Takahashi Tanaka Watanabe Yamamoto")
)

// The names of houses and streets.
var (
	houseWords = strings.Fields("Alder Amber Anchor Arcade Atlas Aurora Beacon Belvedere Bluebell Bridge Canal Cardinal Cathedral " +
		"Cedar Central Chestnut Citadel Clover Compass Coral Courtyard Crescent Crown Elm Ember Fountain Gallery Garden Gate Harbour " +
		"Hawthorn Heron Horizon Ivory Jasmine Juniper Kingfisher Lantern Laurel Lighthouse Linden Lotus Magnolia Maple Marina Market " +
		"Meridian Mill Monarch Mosaic Oak Old-Town Olive Orchard Palace Parkside Pavilion Pearl Pine Poplar Quay Regent River Rosewood " +
		"Saffron Sapphire Sparrow Square Station Sunrise Swan Terrace Theatre Tower Trinity Velvet Verdant Victory Vineyard Walnut " +
		"Waterfront Willow Zenith")
	streets = strings.Fields("Bridge Castle Cathedral Central Chapel Church Court Garden Grand Harbour High Hill King's Lake Long Main " +
		"Market Mill New North Old Opera Orchard Palace Park Queen's River Rose School South Spring Square Station Temple Theatre " +
		"Union University Victoria Water West")
	streetKinds = []share[string]{{6, "Street"}, {3, "Road"}, {2, "Avenue"}, {1, "Lane"}, {1, "Square"}}
)

// slug returns text in the form of a web address, with a number that makes it unique.
func slug(text string, number int) string { return plainText(text) + "-" + strconv.Itoa(number) }

// plainText returns text in lower-case ASCII letters and digits, with hyphens between the words.
func plainText(text string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'':
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(unicode.ToLower(r))
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// plain replaces letters that have no decomposition, for e-mail addresses.
var plain = strings.NewReplacer("ı", "i", "ø", "o", "ð", "d", "þ", "th")

func mailName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(plain.Replace(strings.ToLower(name))) {
		if r >= 'a' && r <= 'z' {
			b.WriteRune(r)
		}
	}
	return b.String()
}
