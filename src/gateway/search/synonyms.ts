/**
 * Words of the trade that mean the same or nearly so, for the distance between how people ask and how tools are named.
 *
 * `SAME` holds words that stand for each other; `NEAR` holds words of one subject, where finding the one is a fair guess
 * for the other. A line is a group, or leads one way: what stands before `>` to what stands after. A word
 * may be in several lines, and lines are not joined through it. The list is about subjects that servers have, never about
 * one server, and a synonym never counts as much as the word itself.
 */
import { stem } from './stem.ts';

const SAME = `
repo repository
db database
mail email inbox
msg message
dm message
doc document
docs documentation
dir directory folder
img image picture photo photograph
pic picture photo
config configuration setting preference
env environment
auth authentication authenticate login signin
org organization organisation
app application
info information detail
stat statistic
param parameter argument
arg argument
var variable
func function
lib library
pkg package
spec specification
cmd command
exec execute run
calc calculate compute calculation calculator
dev development developer
prod production
admin administrator
perm permission
req request
attr attribute
prop property
desc description
num number
max maximum
min minimum
avg average mean
temp temperature
lang language
loc location
geo geographic location
lat latitude
lng longitude
lon longitude
coord coordinate
addr address
tz timezone
pr pullrequest mergerequest
mr mergerequest pullrequest
ci pipeline workflow
k8s kubernetes
js javascript
ts typescript
py python
md markdown
postgres postgresql pg
mongo mongodb
gcal calendar
gdrive drive
wiki > wikipedia
yt youtube
fb facebook
ig instagram
tweet > twitter
btc bitcoin
eth ethereum
crypto cryptocurrency
ai artificial
ml machine
xls > excel spreadsheet
xlsx > excel spreadsheet
xlsm > excel spreadsheet
excel spreadsheet workbook worksheet
ppt powerpoint presentation pptx
pptx powerpoint presentation ppt
slide presentation slideshow deck
docx > word document
odt > word document
htm > html webpage
html webpage
jpg > jpeg image
png > image
gif > image
webp > image
svg > image vector
bmp > image
mp3 > audio
wav > audio
flac > audio
mp4 > video
mov > video
avi > video
mkv > video
zip > archive compress
tar > archive
gz > archive
yml yaml
ipynb > notebook jupyter
sqlite > database sql
sql database query
log logs
mkdir > directory folder
grep > search find
curl > fetch http
ls > list directory
rm > remove delete
mv > move rename
cp > copy
cron > schedule

delete remove erase destroy drop
create add make
fetch get read retrieve obtain
get read show
list enumerate show
find search lookup locate
search query lookup
update edit modify change
send post deliver
write save store
save export
start launch begin
stop terminate kill halt
enable activate
disable deactivate
open load
close shut
copy duplicate clone
move rename
merge combine join concatenate
split divide separate
convert transform
compare diff difference
verify validate check
examine inspect
download save
upload attach
schedule plan
book reserve reservation booking
buy purchase order
cancel abort
pay payment
hire recruit
summarize summarise summary
translate translation
generate create produce
draw paint sketch
build construct compile
deploy release publish
install setup
scrape crawl
click tap press
browse navigate visit
monitor watch track
analyze examine evaluate assess
estimate predict forecast
recommend suggest recommendation suggestion
explain describe
fix repair resolve solve
approve accept confirm
reject decline deny
assign delegate
subscribe follow
reply respond answer
count total
encrypt cipher
decode decrypt

issue ticket bug
task todo
note memo
event appointment meeting
reminder alarm alert notification
notification alert
chat conversation
call phone
contact person people
customer client
employee staff worker
user account profile
password credential secret
file document
text txt
table spreadsheet
row record entry
column field
chart graph plot visualization
diagram flowchart
screenshot capture snapshot
link url
website site web
webpage page
internet web online
domain hostname
error exception failure
code source script
script program
terminal shell console bash
process job
container docker
branch fork
commit revision changeset
dependency package library
vulnerability security exploit
stock share equity
ticker symbol
price cost rate
fee charge cost
currency forex exchange
money cash fund
invoice bill
receipt invoice
salary wage income pay
tax duty levy
loan mortgage
movie film cinema
song track music
video clip
tv television show
book novel
paper article publication
author writer
news headline
trend trending popular hot
ranking rank leaderboard top
weather forecast
map cartography
place venue location
route direction path
nearby near around surrounding
train railway rail
flight airline airplane plane
airport flight
hotel accommodation lodging
homestay > accommodation lodging airbnb
trip travel journey tour
holiday vacation
car vehicle automobile
ride taxi cab
recipe dish cooking cook
food meal dish
restaurant dining eatery
drink beverage
job career employment position
resume cv
house home property
apartment flat property
realestate > property housing
rent lease rental
course class lesson tutorial
school education
teacher instructor
student pupil learner
learn study
doctor physician
drug medication medicine pharmaceutical
disease illness disorder condition
gene genetic genomic genome
sport match game
game gaming play
player athlete
team club squad
score result
audio sound
voice speech
transcript caption subtitle
lyric song
icon symbol logo
museum gallery art
art artwork painting
color colour
time clock
date day calendar
random dice
joke humor funny
quote quotation
pet animal
dog > pet
cat > pet
size dimension
distance length
far > distance
remember memory recall
crm customer contact lead
http request
law legal
review rating feedback
discount coupon deal
gift present
product item goods
cheap > discount
shop store
shopping ecommerce shop
astrology horoscope zodiac
fortune horoscope
birth birthday
neighborhood area district
`;

const NEAR = `
rain snow storm sunny cloudy wind humidity heatwave umbrella hurricane flood > weather forecast temperature
invest investor investing bond dividend portfolio fund etf hedge trading trader > finance investment stock market
mortgage interest loan debt credit > finance bank loan
inflation gdp economy economic unemployment > finance economic statistic data
earnings revenue profit balance cashflow > financial statement company
playlist album band concert singer musician jazz rock genre > music song artist
vacation destination itinerary tourist tourism sightseeing attraction resort landmark hiking > travel trip tour place
hotel hostel motel apartment guesthouse > accommodation booking travel
dinner lunch breakfast snack supper cuisine ingredient hungry bake baking > food recipe meal restaurant
calorie nutrition diet vegan protein weight > food health diet
apartment condo landlord tenant bedroom > rent house property
football soccer basketball baseball tennis cricket hockey nba nfl mlb league tournament championship coach > sport team match game
symptom diagnosis treatment therapy vaccine patient hospital clinic cancer diabetes > health medical clinical disease
mutation protein dna genome chromosome > gene variant
vacancy recruiter candidate interview internship > job career hire
homework assignment exam curriculum university college degree > course education learn
programming coding software developer > code
aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces > horoscope astrology zodiac
phone laptop headphone shoe shirt clothes furniture appliance > product shopping
iphone android smartphone > phone product
amazon ebay walmart > product shopping price
mileage sedan suv truck tesla > car vehicle
mars nasa planet satellite rover astronaut galaxy > space astronomy
pronunciation vocabulary grammar dictionary > language word
paraphrase rephrase rewrite proofread polish > text writing edit
essay blog poem story slogan > text writing generate
advertise advertising ads campaign brand > marketing
seo keyword backlink > website search
youtube tiktok vimeo > video
spotify soundcloud > music song
twitter facebook instagram linkedin reddit > social post
gmail outlook > email mail
whatsapp telegram discord teams > message chat
jira linear asana trello > issue task project
github gitlab bitbucket > git repository
mysql postgres mongodb redis oracle > database
s3 bucket blob > storage file
ec2 lambda vm instance > server cloud
pod deployment namespace helm > kubernetes
bitcoin ethereum solana dogecoin nft > crypto price token
gold silver platinum oil > commodity price asset
dollar euro yen yuan pound usd eur gbp jpy cny > currency exchange rate
celsius fahrenheit kilometer mile meter kilogram inch > unit convert
plus minus sum multiply divide percentage arithmetic > calculate math
mall pharmacy supermarket cafe bar gym > place nearby
street avenue neighborhood zip postcode > address location map
subway bus metro tram commute > transport transit route
airline airport boarding aviation pilot > flight
chess checkers sudoku poker puzzle > game play
esports champion ranked > game player
movie netflix actor director imdb > film show
anime manga cartoon > video show
painting sculpture exhibit > art museum
photo camera portrait selfie > image
meme sticker emoji gif > image
sketch illustration wallpaper logo poster > image design draw
presentation pitch deck lecture > slide
report letter essay thesis > document write
resume cv contract > document
spreadsheet ledger budget > excel table
paragraph heading footnote > document word
axis bar pie line scatter histogram heatmap > chart
mindmap brainstorm outline > diagram
timezone utc clock > time
birthday anniversary deadline > date calendar
todo checklist kanban > task
vulnerability cve exploit malware phishing > security
certificate ssl tls > domain security
registrar nameserver subdomain > domain dns whois
lawyer attorney court lawsuit statute > law legal
visa passport immigration > travel document
donate charity nonprofit > donation organization
solar battery electric charging > energy ev station
flower garden soil watering > plant
puppy kitten breed veterinarian > pet animal
toddler kid parenting > child
tree hierarchy taxonomy > structure
crash timeout stacktrace bug > error issue
latency throughput slow bottleneck > performance
cpu ram disk uptime > system monitor
react vue angular tailwind css > component ui web
button modal dropdown navbar > component ui
python javascript java rust golang typescript > code
jar gradle pom > maven dependency
pip pypi conda > package python
dataset statistics census survey > data
study journal citation scholar doi > research paper
professor scientist laboratory > research
empire war century ancient medieval > history
president minister election congress senate parliament > government politics
question answer faq > search knowledge
excel csv table
csv spreadsheet table
pdf document
word document
markdown document
presentation powerpoint office
code file
html file
page document
photo camera
finance financial stock market investment
investment portfolio stock
stock market finance company
crypto bitcoin ethereum blockchain token coin
commodity gold silver metal asset
asset stock crypto
price market quote
bank account transaction finance
budget expense finance
company business corporate
academic research scholar scientific
research paper study arxiv
science scientific research
encyclopedia wikipedia
google > search web
open > create
knowledge wikipedia
fact knowledge
history historical past
weather temperature rain climate
air pollution quality
travel hotel flight trip
tourist attraction travel
city location place
address geocode location
map location route
park place
transport transit traffic
train station ticket
food restaurant recipe
diet nutrition calorie food
fitness workout exercise
health medical clinical patient
hospital health medical
trial clinical
movie tv show
music artist album song
game player match
sport football soccer basketball
news article media
blog post article
social post tweet
email message
slack message channel
calendar schedule event
meeting calendar
task project
issue repository
git repository branch commit
npm package dependency
deploy cloud
server host machine
cloud aws azure gcp
log error debug
database table sql
file path directory
folder file
terminal command process
browser webpage website
screenshot browser webpage
website url page
scrape webpage content
design ui component
component ui button
image draw generate
chart data
math calculate equation formula
number calculate
convert unit
language translate
think reasoning thought
memory knowledge
plan task
job salary hire
house property estate
shopping product price
car buy dealer
course learn training
book read
tarot astrology horoscope
lottery random
password random
domain whois dns
website domain
security vulnerability scan
network ip
phone mobile device
legal law court
gene variant protein
chemical molecule compound
star space astronomy
energy electricity power
plant garden
baby child parent
wedding event
image metadata
`;

/** How much a synonym counts beside the word itself. */
const SAME_WEIGHT = 0.8;
const NEAR_WEIGHT = 0.3;

const RELATIVES = new Map<string, Map<string, number>>();
relateAll(SAME, SAME_WEIGHT);
relateAll(NEAR, NEAR_WEIGHT);

function relateAll(text: string, weight: number): void {
  for (const line of text.split('\n')) {
    const [from = '', to = from] = line.split(' > ');
    relate(stemsOf(from), stemsOf(to), weight);
  }
}

function stemsOf(text: string): string[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(stem);
}

function relate(from: readonly string[], to: readonly string[], weight: number): void {
  for (const word of from) {
    const relatives = RELATIVES.get(word) ?? new Map<string, number>();
    RELATIVES.set(word, relatives);
    for (const other of to) if (other !== word && !relatives.has(other)) relatives.set(other, weight);
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Stems related to a stem, each with the share of a full hit that it is worth. */
export function synonymsOf(stemmed: string): ReadonlyMap<string, number> {
  return RELATIVES.get(stemmed) ?? NONE;
}
