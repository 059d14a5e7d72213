"""Word lists: people, pets, jobs, illnesses, times, fillers. Pure data, lower case.

Each list is a plain string of words so that it can be read and kept; `alternatives` makes the
regular expression that matches any of them.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def alternatives(words: str) -> str:
    """A group that matches any entry of `words`, longest first; `_` stands for a space."""
    entries = sorted({entry.replace("_", " ") for entry in words.split()}, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(entry).replace(r"\ ", r"[ -]") for entry in entries) + ")"


FEMALE = """
    wife girlfriend gf fiancée mother mom mum mam mama mommy mummy amma ma sister sis daughter
    aunt auntie aunty niece grandmother grandma gran granny nan nana nanna grandmom
    grandson's_wife granddaughter mother-in-law mother_in_law mum-in-law mom-in-law mum_in_law
    sister-in-law sister_in_law daughter-in-law daughter_in_law stepmother stepmum stepmom
    stepsister stepdaughter half-sister missus landlady ex-wife ex-girlfriend great-aunt
    great_aunt great-grandmother godmother goddaughter bridesmaid midwife girl wifey didi bhabhi
    nani dadi lola ate tita yaya
"""
MALE = """
    husband hubby boyfriend bf fiancé fiance father dad dada daddy papa pa pop appa brother bro
    son uncle nephew grandfather grandad granddad grandpa gramps grandson father-in-law
    father_in_law dad-in-law dad_in_law brother-in-law brother_in_law son-in-law son_in_law
    stepfather stepdad stepbrother stepson half-brother ex-husband ex-boyfriend great-uncle
    great_uncle great-grandfather godfather godson lad boy landlord best_man bhaiya nana_ji
    dada_ji lolo kuya tito chacha mama_ji
"""
NEUTRAL = """
    partner spouse other_half better_half so fiancee parent parents child kid kids children
    sibling siblings cousin grandchild grandchildren grandkid great-grandchild baby toddler
    teenager teen twin twins eldest oldest youngest middle_one little_one friend best_friend mate
    bestie bff buddy pal roommate roomie flatmate housemate lodger tenant neighbour neighbor boss
    manager line_manager supervisor advisor adviser pi mentor mentee colleague coworker co-worker
    teammate team_lead tech_lead assistant apprentice intern nanny au_pair babysitter childminder
    cleaner carer co-founder cofounder business_partner client customer student pupil teacher
    tutor coach trainer doc pt professor lecturer headteacher principal doctor gp dentist physio
    physiotherapist therapist counsellor counselor psychiatrist psychologist nurse consultant
    surgeon dermatologist cardiologist neurologist oncologist endocrinologist gynaecologist
    gynecologist obstetrician ob obgyn ob-gyn midwife paediatrician pediatrician optician
    optometrist orthodontist osteopath chiropractor nutritionist dietitian dietician specialist
    oncology_nurse health_visitor hygienist vet accountant lawyer solicitor attorney barber
    hairdresser stylist mechanic plumber builder electrician fitter gardener agent estate_agent
    realtor broker priest pastor rabbi imam vicar relative in-laws family folks grandparents
    great_grandparents stepparents stepchild godchild ex girlfriend's_mum sponsor duo teammate
    captain bandmate drummer partner_in_crime classmate lab_partner co-host editor publisher
    producer director agent lodger penpal pen_pal date crush social_worker support_worker
    case_worker key_worker warden caretaker handler employee staff_member great-grandkid
    great-grandson great-granddaughter grandbaby
"""
PETS = """
    dog cat puppy kitten pup pooch pupper labrador lab retriever golden_retriever spaniel cocker
    poodle cockapoo labradoodle cavapoo beagle terrier westie staffy staffie dachshund sausage_dog
    pug bulldog frenchie french_bulldog corgi husky collie border_collie german_shepherd alsatian
    rottweiler whippet greyhound chihuahua shih_tzu maltese pomeranian boxer dalmatian lurcher
    rescue_dog rescue_cat tabby tomcat ragdoll maine_coon siamese bengal persian rabbit bunny
    hamster guinea_pig gerbil rat mouse ferret hedgehog chinchilla parrot budgie cockatiel canary
    parakeet bird chicken hen rooster duck goose goat sheep lamb pig cow horse pony donkey mare
    gelding tortoise turtle snake python gecko lizard bearded_dragon iguana fish goldfish axolotl
    tarantula rescue goldendoodle labrador_retriever cavalier king_charles schnauzer weimaraner
    vizsla springer pointer setter akita samoyed malamute shiba pit_bull mastiff great_dane
    st_bernard moggy ginger_tom calico tortie sphynx pup foal calf alpaca llama peacock parrotlet
    macaw koi betta hermit_crab stick_insect
"""
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
MONTHS = """
    january february march april may june july august september october november december
"""

JOBS = """
    accountant actor actress actuary administrator admin agent analyst architect artist assistant
    associate astronomer athlete attorney auditor author baker banker barber barista barman
    bartender beautician biologist bookkeeper bricklayer broker builder bus_driver butcher buyer
    cabbie captain carer caregiver carpenter cashier caterer ceo cfo cto coo chaplain chef chemist
    chiropractor claims_handler cleaner clerk coach cobbler comedian composer conductor consultant
    contractor controller cook copywriter councillor counsellor counselor courier curator
    customs_officer dancer data_scientist dba dealer dentist designer detective diver developer dev
    devops dietician dietitian director dj docker doctor dressmaker driver economist editor
    electrician engineer entrepreneur estate_agent executive farmer farrier fashion_designer
    financier firefighter fireman fisherman fishmonger florist founder co-founder freelancer
    gardener geologist glazier gp graphic_designer grocer groundskeeper hairdresser handyman
    headteacher historian housewife househusband homemaker hr_manager illustrator inspector
    instructor interpreter intern investor janitor jeweller jeweler joiner journalist judge
    junior_doctor lab_technician labourer laborer landscaper lawyer lead lecturer librarian
    lifeguard locksmith machinist maid makeup_artist manager marketer marketing_manager mason
    massage_therapist mechanic midwife miner model musician nanny nun nurse nutritionist
    occupational_therapist officer operator optician optometrist osteopath owner painter paralegal
    paramedic pastor pathologist pharmacist photographer physicist physiotherapist physio pianist
    pilot planner plasterer plumber pm podcaster poet policeman police_officer politician porter
    postdoc postman potter priest principal printer producer product_manager professor programmer
    project_manager proofreader psychiatrist psychologist psychotherapist publisher radiographer
    realtor receptionist recruiter referee reporter researcher roofer sailor salesman saleswoman
    salesperson scientist sculptor seamstress secretary security_guard server shepherd shopkeeper
    singer social_worker software_engineer soldier solicitor sommelier sparky speech_therapist
    statistician steward stewardess stylist student supervisor surgeon surveyor swe sysadmin
    tailor tattooist tattoo_artist taxi_driver teacher teaching_assistant technician therapist
    trader train_driver trainee trainer translator travel_agent trucker tutor undertaker
    upholsterer vet veterinarian vicar volunteer waiter waitress warehouse_worker watchmaker
    web_developer welder worker writer youtuber streamer tester qa ux_researcher ux_designer
    zookeeper apprentice sommelier sergeant marine midshipman cadet landlord landlady tradie
    childminder stay_at_home_mum stay_at_home_mom stay_at_home_dad business_owner shop_owner
    phd_student postgraduate undergraduate undergrad freshman sophomore junior senior retiree
    pensioner veteran goldsmith blacksmith beekeeper crofter tiler gasfitter scaffolder bouncer
    croupier dispatcher paraplanner underwriter quant bartender merchandiser stocker picker chippy
    brickie truckie postie copper hgv_driver lorry_driver ta tutor barista musicologist linguist
    archivist ecologist geneticist biochemist botanist zoologist
"""
"""Nouns of what someone does; words in -ist, -ologist, -grapher count too."""

CONDITIONS = """
    asthma diabetes type_1_diabetes type_2_diabetes t1_diabetes t2_diabetes epilepsy migraine
    migraines adhd add autism asd ocd ptsd depression anxiety bipolar schizophrenia eczema
    psoriasis rosacea acne arthritis rheumatoid_arthritis osteoarthritis osteoporosis gout lupus
    fibromyalgia me/cfs cfs long_covid ms multiple_sclerosis parkinson's parkinsons alzheimer's
    alzheimers dementia cancer leukaemia leukemia lymphoma melanoma tumour tumor hypertension
    high_blood_pressure low_blood_pressure high_cholesterol heart_condition heart_disease
    heart_murmur arrhythmia afib angina anaemia anemia thalassaemia haemophilia coeliac celiac
    coeliac_disease celiac_disease crohn's crohns colitis ulcerative_colitis ibs ibd gerd reflux
    acid_reflux ulcer gallstones kidney_stones kidney_disease endometriosis pcos fibroids
    hypothyroidism hyperthyroidism thyroid_problems underactive_thyroid overactive_thyroid
    hashimoto's graves sleep_apnoea sleep_apnea insomnia narcolepsy tinnitus vertigo glaucoma
    cataracts macular_degeneration astigmatism dyslexia dyspraxia dyscalculia scoliosis sciatica
    slipped_disc herniated_disc hernia carpal_tunnel plantar_fasciitis shin_splints tendonitis
    tendinitis bursitis frozen_shoulder whiplash concussion stroke copd emphysema bronchitis
    pneumonia tuberculosis tb hiv hepatitis cystic_fibrosis sickle_cell hay_fever hayfever
    allergies food_allergies eds hypermobility pots lymphedema neuropathy tourette's tourettes
    stammer stutter anorexia bulimia eating_disorder prediabetes gestational_diabetes
    pre-eclampsia palpitations shingles mono glandular_fever covid blood_clots dvt varicose_veins
    gastritis diverticulitis pancreatitis cirrhosis fatty_liver vitiligo alopecia hives
    colour_blindness color_blindness
"""
CONDITION_ADJECTIVES = """
    diabetic prediabetic asthmatic epileptic autistic dyslexic dyspraxic coeliac celiac deaf blind
    hard_of_hearing partially_sighted visually_impaired colourblind colorblind colour_blind
    color_blind red-green_colourblind red-green_colorblind bipolar anaemic anemic immunocompromised
    disabled neurodivergent pregnant infertile menopausal perimenopausal lactose_intolerant
    gluten_intolerant hypothyroid hypermobile claustrophobic agoraphobic depressed short-sighted
    nearsighted long-sighted farsighted left-handed right-handed paraplegic wheelchair-bound
    type_1_diabetic type_2_diabetic t1_diabetic t2_diabetic type_1 type_2 hiv_positive
    haemophiliac arthritic anorexic bulimic adhd
"""
DIETS = """
    vegan vegetarian veggie pescatarian pescetarian plant-based plant_based keto paleo halal kosher
    gluten-free gluten_free dairy-free dairy_free low-carb low_carb lactose-free flexitarian
    carnivore teetotal teetotaller sober jain low_fodmap sugar-free
"""
MEDICINES = """
    sertraline fluoxetine citalopram escitalopram venlafaxine mirtazapine duloxetine bupropion
    prozac zoloft lexapro wellbutrin lithium lamotrigine quetiapine olanzapine aripiprazole
    ritalin adderall vyvanse elvanse concerta methylphenidate metformin insulin ozempic wegovy
    mounjaro semaglutide tirzepatide levothyroxine thyroxine amlodipine ramipril lisinopril
    losartan candesartan bisoprolol propranolol atenolol atorvastatin simvastatin rosuvastatin
    statins statin warfarin apixaban rivaroxaban clopidogrel aspirin omeprazole lansoprazole
    pantoprazole cetirizine loratadine fexofenadine antihistamine antihistamines salbutamol
    ventolin inhaler inhalers symbicort prednisone prednisolone steroids methotrexate humira
    adalimumab hydroxychloroquine gabapentin pregabalin amitriptyline topiramate sumatriptan
    codeine tramadol morphine naproxen ibuprofen paracetamol tylenol hrt estrogen testosterone
    progesterone tamoxifen finasteride spironolactone isotretinoin roaccutane accutane minoxidil
    the_pill birth_control antidepressants antibiotics beta_blockers blood_thinners melatonin
    magnesium iron_tablets vitamin_d b12 omnipod dexcom libre insulin_pump cpap epipen eliquis
    xarelto keppra levetiracetam carbamazepine valproate xolair biologics ssri ssris painkillers
    antacids
"""
LANGUAGES = """
    english spanish french german italian portuguese dutch polish czech slovak hungarian romanian
    bulgarian greek turkish russian ukrainian arabic hebrew farsi persian hindi urdu bengali punjabi
    gujarati marathi tamil telugu kannada malayalam sinhala nepali mandarin cantonese chinese
    japanese korean vietnamese thai malay indonesian tagalog filipino swahili yoruba igbo hausa zulu
    xhosa afrikaans amharic somali swedish norwegian danish finnish icelandic estonian latvian
    lithuanian croatian serbian slovenian albanian welsh irish gaelic scots catalan basque galician
    latin esperanto bsl asl sign_language georgian armenian azeri kazakh uzbek mongolian khmer lao
    burmese hokkien hakka shanghainese konkani odia assamese kurdish pashto creole maltese
"""
NATIONALITIES = """
    american british english scottish welsh irish french german italian spanish portuguese dutch
    belgian swiss austrian polish czech slovak hungarian romanian bulgarian greek turkish russian
    ukrainian belarusian swedish norwegian danish finnish icelandic estonian latvian lithuanian
    croatian serbian bosnian slovenian albanian macedonian indian pakistani bangladeshi sri_lankan
    nepali chinese taiwanese japanese korean vietnamese thai malaysian indonesian filipino filipina
    singaporean australian kiwi canadian mexican brazilian argentinian argentine chilean colombian
    peruvian venezuelan cuban jamaican nigerian ghanaian kenyan ugandan tanzanian ethiopian somali
    egyptian moroccan algerian tunisian sudanese south_african zimbabwean israeli palestinian
    lebanese syrian jordanian iraqi iranian saudi emirati afghan kazakh uzbek georgian armenian
    malayali punjabi gujarati bengali tamil kurdish scouse geordie cornish catalan basque
"""
PLACES = """
    london paris berlin madrid rome lisbon dublin edinburgh glasgow manchester birmingham leeds
    liverpool bristol sheffield newcastle nottingham leicester cardiff belfast york cambridge
    oxford brighton southampton bath exeter norwich aberdeen dundee amsterdam rotterdam brussels
    vienna zurich geneva munich hamburg frankfurt cologne copenhagen stockholm oslo helsinki
    warsaw krakow prague budapest bucharest athens istanbul moscow kyiv barcelona valencia milan
    naples turin porto lagos abuja accra nairobi cairo johannesburg cape_town dubai abu_dhabi doha
    riyadh tehran mumbai delhi bangalore bengaluru chennai hyderabad kolkata pune jaipur kochi
    karachi lahore dhaka colombo kathmandu singapore bangkok manila jakarta hanoi saigon
    kuala_lumpur hong_kong taipei tokyo osaka kyoto seoul busan beijing shanghai shenzhen sydney
    melbourne brisbane perth adelaide auckland wellington toronto vancouver montreal ottawa
    calgary halifax boston chicago seattle denver austin dallas houston atlanta miami phoenix
    portland philadelphia philly detroit california texas florida ohio michigan oregon colorado
    nevada arizona montana utah alaska hawaii england scotland wales ireland france germany spain
    italy portugal greece turkey poland ukraine russia sweden norway denmark finland iceland
    switzerland austria belgium netherlands holland india pakistan bangladesh nepal china taiwan
    japan korea vietnam thailand malaysia indonesia philippines australia canada mexico brazil
    argentina chile peru colombia nigeria ghana kenya ethiopia egypt morocco israel lebanon iran
    iraq dubai qatar croatia cyprus malta crete sardinia sicily corsica bali nyc brooklyn queens
    manhattan san_francisco los_angeles san_diego new_york new_zealand south_africa sri_lanka
    saudi_arabia tuscany provence cornwall devon kent essex surrey sussex yorkshire norfolk
    suffolk dorset somerset texas ontario quebec alberta europe asia africa america
"""
"""Places that people also write in lower case."""


@cache
def as_set(words: str) -> frozenset[str]:
    return frozenset(entry.replace("_", " ") for entry in words.split())


RELATIONS = FEMALE + MALE + NEUTRAL
BEINGS = RELATIONS + PETS
"""People by what they are to someone, and animals."""
CALENDAR = MONTHS + WEEKDAYS

__all__ = [
    "BEINGS", "CALENDAR", "CONDITIONS", "CONDITION_ADJECTIVES", "DIETS", "FEMALE", "JOBS",
    "LANGUAGES", "MALE", "MEDICINES", "MONTHS", "NATIONALITIES", "NEUTRAL", "PETS", "PLACES",
    "RELATIONS", "WEEKDAYS", "alternatives", "as_set",
]  # fmt: skip
