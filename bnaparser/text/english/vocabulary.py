"""Common English words in lower case, to tell a word from a part of one, and a plain noun from a name.

The words that occur at least 40 times in five million words of fiction, law, web pages, reviews and news, less often
with a capital. Regular forms of a listed word (``walks``, ``stopped``) are left out. Words that are often
written with a hyphen (``follow-up``) are not listed as one word.
"""

from __future__ import annotations

from functools import cache

_WORDS = """
abandon abide ability able abnormal aboard abolish abolition abortion about above abroad abrupt absence absent absolute absorb abstract abstraction
absurd abundance abundant abuse abusive academic academy accelerated accent accept acceptable acceptance access accessible accident accidental
accommodate accommodation accompany accomplish accomplishment accord accordance accordingly account accountability accountable accumulated
accumulation accuracy accurate accused accustomed achieve achievement acid acidity acknowledge acoustic acquaintance acquainted acquire acquisition
acquitted acres across act action activated active activists activity actor actress actual acute ad adapt adaptation add addiction addition additional
address adequate adhere adjacent adjoined adjoining adjust adjustment administer administration administrative admirable admiration admire admissible
admission admit adolescence adopt adoption ads adult adulthood advance advancement advantage advantageous adventure adversary adverse advertised
advertisement advertising advice advise advisors advisory advocacy advocate aesthetic affair affect affection affectionate affidavit affirm
affirmative afflicted afford affordable afraid after afterlife aftermath afternoon afterward again against age agency agenda agent aggregate
aggression aggressive aging agitated agitation ago agony agree agreeable agreement agricultural agriculture ah ahead aid aim air aircraft airline
airtime airway alarm album alcohol alcoholic ale alert algorithm alien align alignment alike alive all allegations alleged allegiance alleging
alliance allocation allotment allow allowance alluded ally almond almost alone along alongside alot aloud already alright also alt alteration altered
alternate alternative although altogether aluminum always am amateur amazed amazement amazing ambiguous ambition ambitious amend amendment americano
amiable amid amidst ammunition among amongst amount ample amused amusement amusing an analogous analogy analysis analytical analyze anarchist anarchy
ancestors ancient and anew angel anger angle angry anguish animal animated animation anniversary annotations announce announcement annoyed annoying
annual annulled annum anode anonymous another answer ant ante anticipate anticipation anxiety anxious any anybody anyhow anymore anyone anything
anytime anyway anywhere apart apartment apologize apology app apparatus apparel apparent appeal appear appearance appellate appetite applause apple
applicable applicant application applied applies applying appoint appointment appreciate appreciation apprehension approach appropriate appropriation
approval approve approximately april apt aptitude arbitrary arbitration arc architect architectural architecture are area arena argue argument arise
arisen arm armchair army aroma arose around arousal aroused arrange arrangement array arrest arrival arrive arrow art artery article articulate
artificial artist artistic artwork as ascended ascertain ash ashamed ashore aside ask asleep aspect aspirations assault assemble assembly assert
assertion assess assessment asset assign assignment assist assistance assistant associate association assorted assume assumption assurance assure
assuredly asthma astonished astonishing astonishment astronomy async at ate athletes athletic atmosphere atom atomic attach attachment attack attain
attainment attempt attend attendance attendant attention attentive attired attitude attorney attract attraction attractive attribute attribution
attuned auction audible audience audio august aunt authentic author authoritative authority authorization authorize autism auto automated automatic
automatically automobile autonomy autumn avail availability available average avocado avoid avoidance await awake awakened award aware awareness away
awe awesome awful awhile awkward awoke axe axis baby back backfired background backroom backsliding backstory backup backward bacon bacteria bad badge
bag baggage balance balcony ball ballet ballot ballroom ban banana banc bands bank bankrupt bankruptcy bar bare barefoot bareheaded bargain bark
barley barn barrel barrier barroom base baseball baselevel baseline basement basic basically basis basket basketball bass bat batch bath bathroom
battery battle bay be beach beak beam bean bear beast beat beaten beautiful beauty became because become bed bedroom bedside bedtime bee beef been
beep beerline befitting before befriended beg began begin beginnings begun behalf behave behavior behavioral behaviour beheaded beheld behind behold
being belated belief believe belittling bell belong beloved below belt bench bend beneath beneficial beneficiary benefit benevolence bent besetting
beside best bestowed bestseller bet beta bethinking betrayed between beverage beyond bias bible bicycle bid bidweek big biggest bike bill billion
binary binding biological biology bios bipartisan bird birth birthday bit bite bitterly bitterness bizarre black blackbirds blackboard blackguard
blacklist blackmail blackout blade blame blank blanket blast blazing bleak bleeding blend bless blessings blew blind blindfolded block blog blood
bloodshot bloodstained bloody bloom blow blown blue blueman blueprint bluetooth board boardroom boat body boil bold bolt bomb bond bone bonus book
bookkeeping boom boost boot bootup border borderline bore born borne borrow bosom boss both bothered bottle bottom bought bound boundary boundaryless
bounty bow bowl box boy boycott brackets brain brainstorming brainwashed brainwashing branch brand brandy brass brave breach bread breadth breadwinner
break breakaway breakdown breakfast breakthrough breast breath breathe breed breeze breezy brew brewery brick bride bridge brief bright brightness
brilliant bring broad broadcast broadside broke broken bronze brother brought brow brown browser brush brutal brutality brute bubble bucket budget
buffer bug build buildings built bulk bull bullet bullying bunch bundle bunker burden bureaucracy burglary buried burn burnt burst bus bushes business
businessmen bust busy but butler button buy buyout by byword cab cabin cabinet cable caffeine cage cake calculate calculation calendar call calm
calories came camera camp campaign campus can canal cancelled cancer candidate candle cannot canoe canon canonical canvas cap capability capable
capacity capita capital capitalism capitalist cappuccino capsized captain capture car caramel carbon carbonated carbonation cards care carefree
careful careless cargo carpet carriage carriers carry carryover cart carved case casework cash cask cast casual cat catch categorical category cattle
caught causal causation cause caution cautious cave cease ceiling celebrate celebration celebrity cell cellar censorship census cent centered central
centre centum century ceremony certain certainty certificate certification certified certiorari chai chain chairman challenge chamber champagne
champion chance change channel chaos chap chaperone chapter character characteristic characterize charge charity charm chart chase chat chatroom cheap
cheating check checkout cheek cheer cheerful cheerleader cheerleading cheese chemical chemistry cherish chess chest chicken chief child childbearing
childhood childish children chill chimney chin chip chocolate choice choked cholesterol choose chord chorus chose chosen chronic church cigar
cigarette circle circular circulation circumstance cite citizen citizenship city civic civil civilian civility civilization civilized claim
clarification clarify clarity class classic classical classification classify classroom classwide clause claws clay clean clear clergyman clerk clever
click client cliff climate climb clinical clip cloak clock clockwork clone close closest closure cloth clothesline cloud club clue clung cluster
clutched coach coal coalition coarse coast coastline coat code coercion coffee cognitive coin coincidence cold collaboration collapse collar
collateral colleague collect collection collective collector college colonel colonial colonists colonization colony color colorful colour column com
comand comb combat combination combine come comedy comfort comfortable comfortably comic command commence commencement comment commerce commercial
commission commit commitment committee commodity common commonplace communicate communication communism community commuting compact companion company
comparable comparative compare comparison compass compassion compatible compel compensate compensation compete competence competent competition
competitive competitors compile complain complaint complete completion complex complexity compliance complicated compliment comply component compose
composition composure compound comprehend comprehensive compromise computed computer computing con conceal conceded conceivable conceive concentrate
concentration concept conception conceptual concern concert concession concise conclude conclusion conclusive concrete concurrency concurrent
concurring condemned condensed condescended condescending condition conditional condoned conduct conductor cone confer conference confess confession
confidence confident confidential config configuration configure confined confinement confining confirm confirmation conflating conflict conform
conformity confront confrontation confused confusing confusion congratulate congregation congressional conjecture conjoined conjunction connect
connection conquest conscience conscious consciousness consecutive consensus consent consequence consequent conservation conservative conserving
consider considerable considerably consideration consist consistency consistent consolation console consolidate consolidation conspicuous conspiracy
constant constituents constitute constitution constitutional constraints construct construction constructive construed consult consultation consume
consumption contact contain contemplate contemplation contemporary contempt contend content contention contest context continent continental
contingent continually continuation continue continuity continuous contract contradiction contradictory contrary contrast contribute contribution
control controversial controversy convenience convenient convention conventional conversation conversing conversion convert convey convict conviction
convince cook cool cooperate cooperation cooperative coordinate coordination cope copper copy copyright cord core cork corn coronary corporate
corporation corps corpus correct correction correlated correlation correspondence corresponding corridor corrupt corruption cortado cost costume
cottage cotton couch could counsel count countdown countenance counterpart counterparts counterpoint countless country countrymen countryside county
couple courage course coursework court courtroom cousin cover coverage cow cowboy crack crackled craft crash crate crawl crazy cream create creation
creative creativity creator creature credibility credit creditor creed creeping crept crest crew crime criminal crises crisis criteria criterion
critic critical criticism criticized crop cross crossover crossroads crouched crowd crowdfunding crowdsourcing crown crucial crude cruel cruelty crush
cry crystal cuckoo cues cultivate cultivation cultural culture cunning cup cupboard curate curb cure curiosity curious curly currency current
curriculum curse curtain curtilage curve custody custom customary cut cuz cycle cylinder dad damage damn damp dance danger dangerous dao dapper dare
dark darkness darling dash dat data database date datelined daughter dawn day daylight daytime dead deadline deaf deal dealings deallocated dealt dear
dearest death debate debian debris debt debtor decade decaf decaffeinated decay deceased deceived december decency decent decide decidedly decision
decisive deck declaration declare decline decrease decree dedicated dedication deduction deed deem deep deepest deer default defeat defect defence
defend defendant defense defensive deference deferred deficiency deficient deficit define definite definition definitive degradation degree delay
delegate delete deliberate deliberation delicacy delicate delicious delight delightful deliver delivery delusions demand democracy democratic
demographic demonstrate demonstration den denial dense density deny depart department departure depend dependence dependency dependent deposit
deposition depressed depression depressive deprive depth deputy derive descendants descended descending descent describe description descriptive
desegregation desert deserve design designate designation desirable desire desk desktop desolate despair desperate despite destination destined
destiny destroy destruction destructive detached detail detained detect detection detective detention deter determination determine deterrent
devastating develop development developmental deviance deviant device devil devised devote devotion dey diagnosed diagnosis diagnostic diagram dialect
dialogue diameter diamond dictate dictatorship dictionary did didnt die diet differ difference different difficult difficulty diffusion dig digital
digits dignity dilemma dim dimension diminish dine dinner dinnertime dinosaurs dioxide diplomacy diplomatic direct direction director directory dirt
dirty disability disable disadvantage disagree disagreeable disagreement disappear disappointed disappointment disapproval disaster disastrous
discharge discipline disclose disclosure discount discourage discourse discover discovery discretion discriminate discrimination discriminatory
discuss discussion disease disguise dish disk dislike dismal dismiss dismissal disorder displaced displacement display disposal dispose disposition
dispute disregard dissatisfied dissent dissolve distance distant distinct distinction distinctive distinguish distorted distress distribute
distribution district distro distrust disturb disturbance dive diverse diversified diversity divide divine division divorce do dock doctor doctrine
document documentary documentation does doesnt dog doing dollar domain dome domestic domesticated dominance dominant dominate domination donations
done doomsday door doorway dose dot double doubt doubtful doubtless down downgrade downgrading download downright downsampling downside downsizing
downstairs downstream downtime downtown downvote downward dozen draft drag dragon drama dramatic dramatically drank draught draw drawings drawn dread
dreadful dream dress drew drift drink drip drive driven driveway drop dropdown drove drowned drug drummer drums drunk dry dual dubbed duck due dug
duke dull duly dumb dumbfounded dunno duplicate duplication duration during dust dusty duty dwell dying dynamic each eager eagerness ear earlier
earliest earmarked earn earnest earnings earth ease east eastern eastward easy easygoing eat eaten echoed economic economical economy ed edge edit
edition editor editorial educate education educational effect effective effectiveness efficiency efficient effort egg eh eight eighteen eighteenth
eighth eighty either elaborate elapsed elbow elder elect election electoral electric electrical electricity electron electronic electronically elegant
element elementary elephant elevated elevation elevator eleven eligibility eligible eliminate elimination elite else elsewhere embarrassed
embarrassing embarrassment embedded embrace emerge emergency eminent emission emmy emotion emotional empathy emperor emphasis emphasize empire
empirical employ employee employment empty enable enact enactment enclosed encoding encounter encourage encouragement end endeavor endeavour endless
endowed endpoint endurance endure enemy energetic energy enforce enforcement engage engagement engine engineering enhance enjoy enjoyment enlarge
enlightened enlisted enormous enough enrollment enslaved ensure enter enterprise entertain entertainment enthusiasm enthusiastic entire entitled
entity entrance entrepreneurs entry enumerated envelope environment environmental envy epic episode epistemology equal equality equation equilibrium
equipment equipped equitable equity equivalent er era erect error escape especially espresso essay essence essential establish establishment estate
esteem estimate estimation eternal ethical ethics ethnic ethnicity euthanasia evaluate evaluation even evenings event eventual ever everlasting every
everybody everyday everyone everything everytime everywhere evidence evident evil evolution evolutionary evolve exact exaggerated exalted examination
examine example exceed exceedingly excellence excellent except exception exceptional excerpt excess excessive exchange excite excited excitement
exciting exclaimed exclude exclusion exclusive excuse execute execution executive exempt exemption exercise exert exhausted exhaustion exhibit exist
existence exit expand expansion expect expectation expedition expended expenditure expense expensive experience experiment experimental
experimentation expert expertise expiration expired explain explanation explicit exploded exploitation exploration explore explosion export expose
exposure express expression expressive exquisite extend extension extensive extent external extinct extinction extra extract extraction extraordinary
extreme eye eyebrows fabric face facial facilitate facility fact factor factory factual faculty faded fail failure faint fair fairness fairway faith
faithful fake fall fallacy fallen fallout false fame familiar familiarity family famous fan fancy fantastic fantasy far fare farm farther farthing
fascinated fascinating fashion fashionable fast fastboot fastened fat fatal fate father fatigue fault faulty favor favorable favorite favour
favourable favourite fear fearful feasible feat feathers feature february fed federal federalism fee feeble feedback feeding feel feelings feet fell
fellow felony felt female feminine feminist fence fermentation fermented fertile fertility fetch fever few fiber fiction field fierce fiesta fifteen
fifth fifty fight figure file fill film filmmaking filter final finance financial find findings fine finest finger finish finite fire firefox
fireplace fireside firm first fiscal fish fist fit fitness five fix flag flame flash flat flavor flavour fled fleet flesh flew flexibility flexible
flight float flood floor flourish flow fluid flung flush fly foam focus fog fold folk follow folly fond food fool foolish foolproof foot football
footsteps for forbid forbidden force forcibly foregoing forehead foreign foremost forest forever forge forget forgive forgot forgotten fork form
formal format formation formerly formidable formula formulate formulation forth forthcoming forthright fortnight fortunate fortune forty forum forward
fossil foster fought foul found foundation fountain four fourteen fourth fox fraction fragments frame framework franchise frank frantic fraud free
freedom freestanding freeway freeze frequency frequent fresh friday fridge friend friendship frightened frightful frivolous fro from front frontier
frontloading frost frowned frowning frozen fruit fruity frustrated frustrating frustration fuel fulfill fulfillment full fully fumbled fun function
functional functionality fundamental funded funding funds funeral funny fur furious furnish furniture further fury future gain gainsaying gallery
gambling game gameplay gang gap garage garden garment gas gasped gate gateway gather gave gay gaze gear geese gender gene genera general generate
generation generic generosity generous genetic genial genius genre gentle gentleman gentlemen gently genuine genus geographic geographical geological
gesture get getaway ghost giant gift gig gigantic gin girl git give giveaway given glad glance glare glass glimpse glittering global globalization
globe gloom gloomy glorious glory gloves glow go goal gods goes going gold golden golf gone gonna good goodbye goodness goodnight google goose gossip
got gotta gotten govern governance government governmental governor gown gparted grab grace graceful gracious gradations grade gradient gradual
graduate graduation grain grammar grand grandmother grant graphic grasp grass grassroots grateful gratitude grave gravel gravity gray great greatcoat
greatest greatness green greenbacks greenhouse greenwashing greeted greeting grew grey grief grim grind grinned grip grocery gross ground
groundbreaking groundwork group grow grown growth grub guarantee guard guardian guess guest gui guidance guide guideline guidelines guilt guilty
guitar gun guy gwyne ha habeas habit habitat habitually had haha hair hairstyle half halfback halfpenny halftime halfway hall hallway halt hammer hand
handbag handful handgun handheld handkerchief handle handmade handouts handsome handwriting handy hang hangover happen happiness happy harassment
harbor hard hardcoded hardcore harddisk harddrive hardened hardest hardship hardware harm harmful harmless harmony harness harsh harvest has hash
haste hastened hasty hat hate hatred haunted have havent haze hazelnut he head headline headlong headquartered headquarters headset headstrong headway
health healthcare healthy heap hear hearings heart heartbreaking heartily heat heaven heavy heavyset heed heels heh height heightened held hell hello
help helpful helpless hemisphere hen hence her herbal here hereafter hereby herein hereinafter heretofore herewith heritage hero heroic heroin herself
hesitate hesitation hey heyday hi hid hidden hide hideous hierarchy high highballs highest highland highlight highpoint highroad highway hilarious
hill hillside hilltop him himself hint hire his historian historic historical history hit hitherto hockey hold hole holiday hollow holy home
homebuilding homecoming homeland homeless homemade homemaking homeowner homework homosexuality honest honesty honey honeycombed honor honorable honour
honourable hop hope hopeful hopeless hoppy horizon horizontal horn horrible horror horse hospital hospitality host hostile hostility hot hotel hour
house household housekeeping housewife housework how however huddle huge huh human humane humanity humble humility humor humorous humour hundred hung
hungry hunt hurry hurt husband hut hybrid hydrogen hypotheses hypothesis hypothetical ibid ice icon idea ideal idealism identical identification
identify identity ideological ideology idle if ignorance ignorant ignore ii ill illegal illness illusion illustrate illustration image imaginary
imagination imagine imitation immediate immense immigrant immigration immoral immortal immune immunity immutable impact impartial impatience impatient
imperative imperfect imperial impl implement implementation implications implicit imply import importance important impose impossible impressed
impression impressive imprisoned imprisonment improbable improper improve improvement impulse in inability inadequate inappropriate incapable
incentive incessant inch incident incidental inclination inclined include inclusion inclusive income incompetent incomplete inconsistent incorporate
incorrect increase increasingly incredible incredibly incumbent incurred indebted indeed indefinite independence independent index indicate indication
indicator indifference indifferent indigenous indignation indirect indispensable individual individualism individuality induce industrial
industrialization industrialized industry ineffective inequality inevitable inevitably infancy infant infer inference inferior infinite inflation
influence influential info inform informal information infrastructure infringement ing ingenious ingredient inhabitants inhabited inhabiting inherent
inheritance inherited initial initiated initiative injunction injured injurious injury injustice ink inn innate innocence innocent innovation
innovative innumerable input inquire inquiry insane insect insert inside insight insist insistence inspection inspector inspiration inspire install
installation instance instant instead instinct instinctively institute institution institutional instructed instruction instructor instrument
instrumental insufficient insult insurance insure intact integral integrate integration integrity intellect intellectual intelligence intelligent
intend intense intensity intent intention intentional inter interact interaction intercourse interest interface interfere interference interim
interior intermediate internal international internet interpret interpretation interrupt interruption intersection interstate interval intervene
intervention interview intimacy intimate into intolerable intricate intrinsic introduce introduction intuition intuitive invaded invalid invariably
invasion invent invention inventory invest investigate investigation investment investors invisible invitation invite invoke involuntary involve
involvement inward ip irc iron ironic irrational irregular irrelevant is island isnt iso isolated isolating isolation issue it item iterator its
itself jacket jail january java jaw jazz jealous jealousy jerk jet job join joint joke jolly journal journalists journey joy judge judgment judicial
jug juice july jump june junior jurisdiction jurisdictional jurors jury just justice justification justify keen keep keg kept kernel key keyboard
keyword kick kid kill kind kinda kindness kinetic king kingdom kiss kitchen knee knew knife knock know knowingly knowledge known lab label labor
laboratory labour lace lack ladder lady lag laid lake lamp land landline landlord landmark landscape lane language lantern lap lapse laptop large
largest last late latent latest latitude latte laugh laughter launch law lawful lawmakers lawmaking lawn lawsuit lawyer lay layout lazy lead
leadership leady leaf league lean leap learn learnt lease least leather leave lecture led left leftover leg legacy legal legend legislation
legislative legislators legislature legitimacy legitimate leisure lemon lend length lengthy lens lesbian less lesson lest let level liability liable
liberal liberation liberty library license lid lie lien lieu lieutenant life lifecycle lifelong lifespan lifestyle lifetime lift light lightheaded
lightning like likelihood likewise limb limit limitation line linear linen lineup linguistic link linux lion lip liquid liquidation liquor list listen
lit literal literary literature litigation little live livecd livelier livestock load loan lobby lobbyists local localities locate location lock
lockerroom lockup lodge log logic logical login logo lol loneliness lonely long longboat longest look lookout loop loose lose loss lost lot loud love
low lowdown lowercase lowered lowering lowest lowland loyal loyalty luck lucky lucrative luminous lunch luncheon lung luxury lying lyrics mac
macchiato machine machinery macro mad maddened maddening made magazine magic magnetic magnificent magnitude maid mail main mainland mainstream
maintain maintenance major majority make makeup male malt mammals man manage management mandate mandatory manifest mankind manpage manpower
mantelpiece manual manufacture many map marble march margin marijuana marine mark market marketplace marriage marry marshes masculine mask mass
massive master mastery match mate material math mathematical mathematics matter mature maturity maximize maximum may maybe mayor me mead meadow meal
mean meaningful meanings meant meantime meanwhile measure measurement meat mechanical mechanics mechanism medal media medical medications medicine
medieval meditation medium meet meetings mel melancholy melody melted melting member membership membrane memorable memory men mental mention mentoring
menu merchant mercy mere merge merit merry mess message messenger met meta metal metallic metaphysical metaphysics method metropolitan mice microphone
mid midday midden middle middlemen midnight midst midsummer midway midwestern midwife midwinter midwives might mighty migrate migration mild mile
military militia milk mill million min mindful minds mindset mindwipe mine mingled minimal minimize minimum minister minor minority mint minus minute
miracle mirror mischief misconduct miserable misery misfortune misleading missed missile missing mission missionaries mist mistake mistaken mistress
misunderstanding misunderstood mix mixture mob mobile mobility mobilization mocha mod mode model modem moderate moderation moderator modern
modernization modest modification modify module moisture mold mom moment momentary momentum monarchy monday monetary money monitor monkey monks
monopoly monster monstrous month monument mood moon moonlight moral morale morality more moreover morning mortal mortality mortgage most mother motion
motionless motivated motivation motive motor mould mound mount mountain mountainside mountaintop mourning mouse mouth move movement movie mplayer much
mud muddy multiple multitude municipal murder murmur muscle museum music musical musician must mutable mute muttered mutual my myself mysterious
mystery mystical mysticism myth nail naked name narrative narrow nasty nation national nationalism nationality nationwide native natural naturalists
nature naval navy near nearby nearest neat necessary necessity neck need needle needlework negative neglect negotiate negotiation neighbor
neighborhood neighbourhood neither nerve nervous nest net network neural neurons neutral neutrality never nevertheless new newest newspaper newsworthy
newtype next nice nickname niece night nighttime nine nineteen nineteenth ninety nitrogen no noble nobody nod node noise noisy nominated nomination
nominee non nonaction nonbankruptcy noncommissioned noncompliance nonconforming nonconformity noncontradiction none nonetheless nonfiction
nonfrivolous nongovernmental nonhuman nonimmigrant nonintervention nonjurisdictional nonmaterial nonmember nonmetallic nonplussed nonprofit nonpublic
nonquota nonresistance nonsense nonspecific nonspeech nonstandard nonverbal nonvoting nonwhite noon noonday nor norm normal normalization normative
north northeastern northern northernmost northward nose not notable notably notation note noteworthy nothing notice noticeable notification notify
notion notorious notwithstanding novel novelty november now nowadays nowhere nuclear null number numerical numerous nurse nuts nvidia oak oat oath
obedience obesity obey object objection objective obligation obliged obscure observation observe obsolete obstacle obtain obvious occasion occasional
occupation occupy occur occurrence ocean october odd of off offence offense offensive offered offering office official offline offset offspring often
oh oil ok okay old oldest omitted on onboard once oncoming oncommon one oneself ongoing online onlooker only onrush onscreen onset onto oolong open
openoffice opera operate operation operational operator opinion opponent opportunity oppose opposite opposition oppressed oppression oppressive
optimal optimism optimistic option or oral orange orbiting orchestra order ordinary organ organic organisation organism organization organizational
organize orientation origin original originated os other otherwise ought our ourselves out outbreak outcome outdated outdoor outlets outline outlook
output outright outset outside outstanding outward over overall overcome overhead overlap overlooked overnight override overseas oversight overthrow
overturned overview overwhelmed overwhelming owe owing own ownership oxidation oxygen oz pace pack package pads page paid pain painful paint paintings
pair palace pale palm pandemic panel panic panther panting pants pap paperwork par parade paragraph parallel parameter parcel pardon parent parental
park parlor part partaking partial participant participate participation particles particular partisan partition partner partnership party pass
passage passageway passenger passerby passersby passion passionate passive password past paste pastebin patch patchwork patent path pathway patience
patient patriotic patriotism patrol patronage pattern pause pavement pay payday payment payoff payroll peace peaceful peacemaking peacetime peak peas
peasants peculiar peer pen penalty pencil pending penny pension people pepper per perceive percent percentage perception perfect perfection perform
performance perhaps peril period peripheral permanent permeated permissible permission permit perpetual persecution persevering persist persistent
person personal personality personnel perspective persuade persuasion persuasive pertaining pertinent pet petition petty phase phenomena phenomenon
philosopher philosophical philosophy phone photo photograph phrase physical physician physics physiological piano pick pickled pickup picture pie
piece piecework piety pig pigeons pile pilot pin pine ping pink pinpoint pint pioneer pipe pipeline pistol pit pitch pity place placement plain
plaintiff plan plane planet plant plantation plaster plastic plate platform plausible play playback playoff playoffs playtime plea pleaded pleading
pleasant please pleasure pledge plenty plight plot plug plugin plunge plurality plus pocket poem poet poetic poetry point poison poker polarization
pole police policeman policemen policy polished polite politeness political politicians politics poll pollen pollution pond pool poor pop popular
popularity population porch pork port portable portion portrayed pose position positive possess possession possibility possible possibly post postal
postwar pot potato potent potential pound pour poverty powder power powerful practicable practical practice praise pray preacher preceded precedent
preceding precious precise precision predecessor predict predictable predominantly prefer preference pregnancy pregnant prejudice preliminary premise
premium preparation prepare prescribe prescription presence present presentation preservation preserve presidency president presidential press
pressure prestige presumably presume presumption pretend pretty prevail prevalence prevalent prevent prevention previous prey price pride priest
primary prime primitive principal principle print println prior priority prison privacy private privilege prize pro probability probable probably
problem problematic procedural procedure proceed proceedings process procession proclaim procreation procure procurement procurer produce product
production productive productivity profaned professed profession professional professor profile profit profitable profound progenitor program
programme progress progression progressive prohibit prohibition project proliferation prolong prolonged prominent promise promote promotion prompt
prone pronounced proof propaganda proper property proportion proportional proposal propose proposition propounded proprietor propriety prosecute
prosecution prospect prospective prosperity prosperous protect protection protective protein protest prototype proud prove proven provide province
provincial provision prudent psychological psychologist psychology pub public publication publicity publish pull pump punish punishment pupil purchase
pure purity purple purpose purse pursuant pursue pursuit push put puzzle python qualification qualify quality quantity quarrel quarter quarterback
queer query quest question questionable questionnaire queue quick quicksilver quiet quit quite quo quota quotation quote rabbit race racial racism
racist radiation radical radio raft rage ragged raid rail railroad railway rain raise rally ram rampage rampart ran random rang range rank ransacked
ransomed rapid rare rat rate rather ratification ratified ratings ratio rational rationale raw rays razor reach react reaction read readiness ready
real realise realism realistic reality realization realize realm rear rearrange rearranging reason reasonable reasonably rebellion rebels reboot
rebuild recall receipt receive recent reception receptors recession recipe recipient reciprocal reckless reckon recognise recognition recognize
recollection recommend recommendation record recover recovery recreation recruit red redcoat reddened reddish reddit redemption redhat redhead
redistricting redtape reduce reduction redwood reelection refer reference refined reflect reflection reform refrain refuge refund refusal refuse
regard regardless regime regiment region regional register registration regret regular regulate regulation regulatory rehabilitation reign reinforce
reinforcement reinstall reject rejection relate relation relationship relative relax release relevance relevant reliability reliable reliance relief
relieve religion religious reluctant rely remain remainder remand remark remarkable remarkably remedy remember remembrance remind remote removal
remove render renew renewal rent rental reopen reorganization rep repair repay repeal repeat repeatedly repetition repetitive replace replacement
replied report repos repository represent representation representative reproduction reproductive republic reputation request require requirement
requisite rescue research resemblance resemble resented resentment reservation reserve reset reside residence resident residential residual
resignation resigned resist resistance resolution resolve resort resource respect respectable respectful respective respond respondent response
responsibility responsible responsive rest restart restaurant restitution restless restoration restore restrain restraint restrict restriction
restrictive restyling result resultant resume retail retain retaliation retention retire retirement retorted retreat return reveal revelation revenge
revenue reverse review revise revision revival revived revolt revolution revolutionary revolver reward rhetoric rhythm ribbon rice rich richest rid
ride ridge ridiculous rifle right righteousness rigid ring ringside ripe ripped rise risen risk risky ritual rival river riverside road roadside
roadway roar roast robbed robbery robot robust rock rocket rod rode role roleplaying roll romance romantic roof room root rope rose rot rotation
rotten rough round roundabout roused route routine row royal rubbed rubber rubbing rude ruin rule rulemaking rum run runaway rundown runtime runway
rural rush sack sacred sacrifice sad sadden saddle sadness safe safeguard safety said sail sailors saint sake salary sale salesman salesperson salt
salvation samba same sample sanction sand sandy sang sank sat satisfaction satisfactory satisfy saturday sauce savage save savings saw say scale scan
scandal scarce scared scary scattered scenario scene scenery scent schedule schema scheme schizophrenia scholar scholarship school schoolroom
schoolwork science scientific scientist scope score scrap scratch scream screen screenshot screw script scroll scrutiny se sea seal search seaside
season seasonal seat sec second secondary secondhand secrecy secret section sector secular secure security sediment see seeds seek seem seemingly seen
segment segregated segregation seize seldom select selection selective self selfish sell semantic semicolon senator send senior sensation sense
sensible sensitive sensitivity sensors sensory sent sentence sentiment sentimental separate separation september sequence sergeant series serious
servant serve service session set settings settle settlement seven seventeen seventy several severe severity sewage sex sexist sexual sexuality shade
shadow shake shaken shall shallow shame shamefaced shape share shareholders shark sharp shattered she shear sheep sheet shelf shell shelter shield
shift shine shiny ship shipbuilding shirt shock shoe shone shook shoot shop shore shoreline short shortage shortcut shortfall shorthand shortsighted
shortstop shot should shout shove show showdown shown shrink shrugged shut shutdown shy sick sickness sickroom side sidelong sidewalk sideways sigh
sight sightseeing sign signal signature significance significant signify silence silent silk silly silver similar similarity simple simplest
simplicity simply simultaneous sin since sincere sincerity sing single singular sinister sink sir sister sit site situated situation six sixteen sixth
sixty size skeptical skepticism skill skin skip skirt skull sky skydiving skyline skyrocketed skyrocketing slave slaveholders slaveholding slavery
sled sleep sleepwalking sleepy sleeve slender slept slice slid slide slight slightest slim slip slogan slope slow small smallest smart smashed smell
smile smoke smooth snake snap snapshot snatched snow so soap sober soccer social socialism socialization socialized societal society socioeconomic
sociological sociologist sociology soda sofa soft softball softened software soil solace solar sold soldier sole solemn solid solidarity solitary
solitude solution solve some somebody someday somehow someone something sometime somewhat somewhere son song songwriting soon sophisticated sore
sorrow sorry sort sought soul sound soup sour source southern sovereign sovereignty space span spare spark speak special specialized species specific
specifically specify specimen spectacle spectral spectrum speculation speculative speech speed speedily spell spend spent sphere spices spinning
spirit spiritual spite splash splendid split spoke spoken spongy sponsor spontaneous spoon sport spot spouse sprang spread spring springtime spun spur
square stability stable stack stadium staff stage staggered stained staining staircase stairs stake stakeholder stale stamp stance stand standard
standardized standby standpoint standstill star stare stark start startle startled startling startup starving state statement stateroom statewide
static station statistical statistics stats statue status statute statutory stay steady steal steam steamboat steel steep steer stem step stereotypes
sterile sterility stern stick stiff stigma still stillness stimulate stimuli stimulus stir stock stockholders stockpiling stockyard stole stolen
stomach stone stood stop stoppage storage store storm story storyline storytelling stout stove stovetop straight straightaway straightened
straightforward straightway strain strange strategic strategy stratification straw stream streamline street strength strengthen stress stressful
stretch strict strike string strip strive stroke strolled strong strongest struck struct structural structure struggle strychnine stuck student studio
study stuff stumbled stunned stupid style stylistic sub subchapter subconscious subdivision subject subjective submarine submission submit subordinate
subparagraph subpoena subsection subsequent subsidy subsistence substance substantial substantive substitute subtle subtraction suburban suburbs
succeed success successful succession successive successor such suck sudden sue suffer suffice sufficient suffrage sugar suggest suggestion suggestive
suicide suit suitable suite sum summarize summary summertime summit summoned summons sun sunburned sunday sundown sung sunk sunlight sunny sunset
sunshine super superbowl superfluous superhero superimposed superintendent superior superiority supernatural supervision supper supplement
supplemental suppliers supply support suppose supposedly suppress suppression supra supremacy supreme sure surface surplus surprise surprisingly
surrender surrounded surrounding surveillance survey survival survive survivors susceptible suspect suspend suspension suspicion suspicious sustain
sustainability sustainable swallow swap swaying swear sweat sweep sweet sweetness swell swept swift swim swing switch sword swore sworn swung symbol
symbolic sympathetic sympathy symptoms synaptic syndrome synonym syntax synthesis syrup system systematic systematically tab table tackle tactics tag
tail tailgating tailored take taken tale talent talk tall tangible tank tap tape taproom tar target tariff task taste taught tax taxation taxi
taxpayer tea teach teachings team teamwork tearing tech technical technique technological technology teenagers teens teeth telecommunications telegram
telegraph telephone telescope teletext television tell temper temperament temperate temperature temple temporary temptation tempted ten tended
tendency tender tenderness tends tenfold tennis tense tension tent tequila term terminal terminate termination terminology terrace terrestrial
terrible terribly terrific terrified territorial territory terror terrorism terrorist tertiary test testify testimony text textbook textile texture
than thank thankful that the theater theatre thee theft their them theme themselves then theological theology theoretical theorist theory therapist
therapy there thereafter thereby therefor therefore therein thereof thereon thereto these thesis they thick thickness thief thin thing think third
thirteen thirty this thorough those thou though thought thoughtful thousand thread threat threaten three threefold threshold threw throat through
throughout throw thrown thrust thumb thunder thursday thus thy thyroid ticket tide tie tight till timber time timeframe timeline timeouts timestamp
timid tin tiny tion tip tired tissue titanium title to toast tobacco today toes together toil toilet token told tolerance tolerant tolerate toll
tomorrow ton tone tongue tonight too took tool tooth top topic topmost topsoil tore torn torrent torture tossed total touch touchdown tough tour
tourist toward tower town toxic toy trace track trade tradition traditional traffic tragedy tragic trail train trait transaction transcript
transcription transfer transform transformation transgender transit transition transitional translate translation transmission transmit transparency
transparent transport transportation trap travel tray treasure treat treatment treaty tree trembled trembling tremendous trend trendy trial tribal
tribe tribute trick trickled trifle trigger trillion trip triple triumph trivial troops tropical trouble trousers truck true truly trunk trust trustee
trustworthy truth try tube tuesday tuition tumbled tumult tune tunnel tuple turmoil turn turnout twelve twelvemonth twentieth twenty twice twilight
twin twist twitter two type typeset typesetting typewriting typical tyranny ubuntu ugly uh ultimate um unable unavoidable unaware uncertain
uncertainty uncle unclear uncomfortable uncommon unconditioned unconscious unconstitutional under undergoing undergone underground underlying
undermine underneath understand understood undertake undertaken undesirable undoubtedly undue uneasy unemployed unemployment unequal unethical
unexpected unexpended unfair unfamiliar unfortunate unhappy unified uniform unimportant union unique unit unite unity universal universe university
unjust unknown unlawful unless unlike unlimited unlocked unmarried unmistakable unnatural unnecessary unpleasant unprecedented unreasonable unrelated
unsafe unseen unstable unsuccessful until unusual unwilling up upbringing upcoming update upended upgrade upheld uphold upload upon upper uppermost
upraised upright uprising uprooted upscale upset upshot upside upstairs upstanding upstate upstream upward urban urge urgency urgent us usage use
useful usefulness useless username using usual utilitarian utilitarianism utility utilize utmost utter utterance vacancy vacant vacated vacation
vacuum vague vain valid validity valley valuable value vanilla vanished vanity variability variable variance variant variation variety various vary
vast vector vegetable vehicle veil vein velocity velvet venture venue verbal verdict verify verse version versus vertical very vessel vested veteran
veto via viable vice vicious victim victory video view viewpoint vigor vigorous village villain vines violate violation violence violent violin
virtual virtue virtuous virus visa visible vision visit visitor visual vital vitality vivid vocabulary vocal vocational vodka voice voicemail void
volume voluntary volunteer vote voyage vulgar vulnerable wage wagon waist wait waived waiver wake walk wall wander wanna want war warfare warm warmth
warn warnings warrant wartime was wash waste wasteful watch water watercolor waterfall waterfront waterlogged waterphone waterproof watershed
waterside waterway wave wax waxwork way wayside we weak weaken weakness wealth wealthy weapon wear weary weather web webpage website wedding wednesday
weed week weekday weekend weeklies weeping weigh weight weird welcome welfare well went were west western westward wet what whatever whatsoever wheat
wheel when whence whenever where whereas whereby wherein wherever whether which whichever while whilst whip whiskey whisky whisper whistle
whistleblower whistleblowing white whiteboard whitewashed who whoever whole wholesale wholesome wholly whom whose why wicked wide widespread widow
width wife wifi wiki wild wilderness wildlife will willingness win winding window winds wine winemaking wing winnowing winter wipe wire wireless
wisdom wise wish wit with withdraw withdrawal withdrawn withdrew withheld within without witness wives woke wolf wolves woman women won wonder
wonderful wont wood wooden woodwork word wore work workaround workday workforce workout workplace workweek world worldwide worm worn worry worse
worship worst wort worth worthless worthwhile worthy would wound wow wrap wrath wreck wretched wrist writ write writings written wrong wrote wub xchat
xorg ya yard ye yea yeah yearbook yeast yelled yelling yellow yep yes yesterday yet yield yonder you young youngest yourself yourselves youth youthful
youtube zeal zero zone
"""
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "ers", "r", "rs")
_AFTER_DROPPED_LETTER = frozenset(["ing", "ed", "er", "ers"])  # mak(e)ing, stop(p)ed
_ENDINGS_OF_Y = ("ies", "ied", "ier", "iest", "ily")
_SHORTEST = 3  # letters of a word that takes an ending


@cache
def _words() -> frozenset[str]:
    return frozenset(_WORDS.split())


def is_common_word(word: str) -> bool:
    """Return whether a word in lower case is common, or a regular form of a common word."""
    words = _words()
    if word in words:
        return True
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < _SHORTEST:
            continue
        if stem in words:
            return True
        if ending in _AFTER_DROPPED_LETTER:
            if stem + "e" in words:
                return True
            if len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[:-1] in words:
                return True
    return any(
        word.endswith(ending) and word.removesuffix(ending) + "y" in words
        for ending in _ENDINGS_OF_Y
    )
