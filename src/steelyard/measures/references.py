"""Where do the definitions come from?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A publication."""

    key: str
    text: str
    doi: str = ""


@dataclass(frozen=True)
class Citation:
    """A place in a publication."""

    key: str
    where: str = ""

    @property
    def reference(self) -> Reference:
        return REFERENCES[self.key]

    def __str__(self) -> str:
        return f"{self.key} {self.where}".strip()


REFERENCES = {
    reference.key: reference
    for reference in (
        Reference(
            "mullick2020",
            "Mullick, Datta, Dhekane, Das: Appropriateness of performance indices for imbalanced data"
            " classification: an analysis. Pattern Recognition 102, 2020",
            "10.1016/j.patcog.2020.107197",
        ),
        Reference(
            "branco2017",
            "Branco, Torgo, Ribeiro: Relevance-based evaluation metrics for multi-class imbalanced domains."
            " PAKDD 2017",
            "10.1007/978-3-319-57454-7_54",
        ),
        Reference(
            "garcia2012",
            "García, Sánchez, Mollineda: On the suitability of numerical performance measures for class"
            " imbalance problems. ICPRAM 2012",
            "10.5220/0003783303100313",
        ),
        Reference(
            "skrabanek2017",
            "Škrabánek, Doležel: On reporting performance of binary classifiers. Scientific Papers of the"
            " University of Pardubice D 41, 2017",
        ),
        Reference(
            "mortaz2020",
            "Mortaz: Imbalance accuracy metric for model selection in multi-class imbalance classification"
            " problems. Knowledge-Based Systems 210, 2020",
            "10.1016/j.knosys.2020.106490",
        ),
        Reference(
            "batuwita2009",
            "Batuwita, Palade: A new performance measure for class imbalance learning. ICMLA 2009",
        ),
        Reference(
            "bradley2006",
            "Bradley, Duin, Paclik, Landgrebe: Precision-recall operating characteristic (P-ROC) curves in"
            " imprecise environments. ICPR 2006",
        ),
        Reference(
            "brodersen2010",
            "Brodersen, Ong, Stephan, Buhmann: The balanced accuracy and its posterior distribution. ICPR"
            " 2010",
            "10.1109/ICPR.2010.764",
        ),
        Reference(
            "cohen1960",
            "Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement"
            " 20, 1960",
            "10.1177/001316446002000104",
        ),
        Reference(
            "cohen2006",
            "Cohen, Hilario, Sax, Hugonnet, Geissbuhler: Learning from imbalanced data in surveillance of"
            " nosocomial infection. Artificial Intelligence in Medicine 37, 2006",
        ),
        Reference(
            "fowlkes1983",
            "Fowlkes, Mallows: A method for comparing two hierarchical clusterings. JASA 78, 1983",
            "10.1080/01621459.1983.10478008",
        ),
        Reference(
            "garcia2010",
            "García, Mollineda, Sánchez: Theoretical analysis of a performance measure for imbalanced data."
            " ICPR 2010",
        ),
        Reference(
            "glas2003",
            "Glas, Lijmer, Prins, Bonsel, Bossuyt: The diagnostic odds ratio: a single indicator of test"
            " performance. J. Clinical Epidemiology 56, 2003",
            "10.1016/S0895-4356(03)00177-X",
        ),
        Reference(
            "gorodkin2004",
            "Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient."
            " Computational Biology and Chemistry 28, 2004",
            "10.1016/j.compbiolchem.2004.09.006",
        ),
        Reference(
            "davis2006",
            "Davis, Goadrich: The relationship between precision-recall and ROC curves. ICML 2006",
            "10.1145/1143844.1143874",
        ),
        Reference(
            "delong1988",
            "DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver"
            " operating characteristic curves: a nonparametric approach. Biometrics 44, 1988",
            "10.2307/2531595",
        ),
        Reference(
            "drummond2006",
            "Drummond, Holte: Cost curves: an improved method for visualizing classifier performance. Machine"
            " Learning 65, 2006",
            "10.1007/s10994-006-8199-5",
        ),
        Reference(
            "elkan2001",
            "Elkan: The foundations of cost-sensitive learning. IJCAI 2001",
        ),
        Reference(
            "fawcett2006",
            "Fawcett: An introduction to ROC analysis. Pattern Recognition Letters 27, 2006",
            "10.1016/j.patrec.2005.10.010",
        ),
        Reference(
            "hand2001",
            "Hand, Till: A simple generalisation of the area under the ROC curve for multiple class"
            " classification problems. Machine Learning 45, 2001",
            "10.1023/A:1010920819831",
        ),
        Reference(
            "hand2009",
            "Hand: Measuring classifier performance: a coherent alternative to the area under the ROC curve."
            " Machine Learning 77, 2009",
            "10.1007/s10994-009-5119-5",
        ),
        Reference(
            "hanley1982",
            "Hanley, McNeil: The meaning and use of the area under a receiver operating characteristic (ROC)"
            " curve. Radiology 143, 1982",
            "10.1148/radiology.143.1.7063747",
        ),
        Reference(
            "jaccard1912",
            "Jaccard: The distribution of the flora in the alpine zone. New Phytologist 11, 1912",
        ),
        Reference(
            "kubat1997",
            "Kubat, Matwin: Addressing the curse of imbalanced training sets: one-sided selection. ICML 1997",
        ),
        Reference(
            "matthews1975",
            "Matthews: Comparison of the predicted and observed secondary structure of T4 phage lysozyme. BBA"
            " 405, 1975",
            "10.1016/0005-2795(75)90109-9",
        ),
        Reference(
            "mcclish1989",
            "McClish: Analyzing a portion of the ROC curve. Medical Decision Making 9, 1989",
            "10.1177/0272989X8900900307",
        ),
        Reference(
            "mosley2013",
            "Mosley: A balanced approach to the multi-class imbalance problem. Iowa State University, 2013",
        ),
        Reference(
            "powers2011",
            "Powers: Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and"
            " correlation. J. Machine Learning Technologies 2, 2011",
        ),
        Reference(
            "ranawana2006",
            "Ranawana, Palade: Optimized precision: a new measure for classifier performance evaluation. CEC"
            " 2006",
        ),
        Reference("rijsbergen1979", "van Rijsbergen: Information Retrieval. Butterworths, 1979"),
        Reference(
            "sindhwani2001",
            "Sindhwani, Bhattacharya, Rakshit: Information theoretic feature crediting in multiclass support"
            " vector machines. SDM 2001",
        ),
        Reference(
            "sokolova2009",
            "Sokolova, Lapalme: A systematic analysis of performance measures for classification tasks."
            " Information Processing and Management 45, 2009",
            "10.1016/j.ipm.2009.03.002",
        ),
        Reference(
            "sun2006",
            "Sun, Kamel, Wang: Boosting for learning multiple classes with imbalanced class distribution."
            " ICDM 2006",
            "10.1109/ICDM.2006.29",
        ),
        Reference(
            "wei2010",
            "Wei, Yuan, Hu, Wang: A novel measure for evaluating classifiers. Expert Systems with"
            " Applications 37, 2010",
            "10.1016/j.eswa.2009.11.040",
        ),
        Reference("weng2008", "Weng, Poon: A new evaluation measure for imbalanced datasets. AusDM 2008"),
        Reference(
            "youden1950",
            "Youden: Index for rating diagnostic tests. Cancer 3, 1950",
            "10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3",
        ),
        Reference(
            "baccianella2009",
            "Baccianella, Esuli, Sebastiani: Evaluation measures for ordinal regression. ISDA 2009",
            "10.1109/ISDA.2009.230",
        ),
        Reference(
            "balayla2020",
            "Balayla: Prevalence threshold (φe) and the geometry of screening curves. PLoS ONE 15, 2020",
            "10.1371/journal.pone.0240215",
        ),
        Reference(
            "bangdiwala1985",
            "Bangdiwala: A graphical test for observer agreement. 45th session of the International"
            " Statistical Institute, 1985",
        ),
        Reference(
            "bennett1954",
            "Bennett, Alpert, Goldstein: Communications through limited-response questioning. Public Opinion"
            " Quarterly 18, 1954",
            "10.1086/266520",
        ),
        Reference(
            "cohen1968",
            "Cohen: Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial"
            " credit. Psychological Bulletin 70, 1968",
            "10.1037/h0026256",
        ),
        Reference(
            "cramer1946", "Cramér: Mathematical Methods of Statistics. Princeton University Press, 1946"
        ),
        Reference(
            "delgado2019",
            "Delgado, Núñez-González: Enhancing confusion entropy (CEN) for binary and multiclass"
            " classification. PLoS ONE 14, 2019",
            "10.1371/journal.pone.0210264",
        ),
        Reference(
            "ferro2011",
            "Ferro, Stephenson: Extremal dependence indices: improved verification measures for deterministic"
            " forecasts of rare binary events. Weather and Forecasting 26, 2011",
            "10.1175/WAF-D-10-05030.1",
        ),
        Reference(
            "kullback1951",
            "Kullback, Leibler: On information and sufficiency. Annals of Mathematical Statistics 22, 1951",
            "10.1214/aoms/1177729694",
        ),
        Reference(
            "rosenberg2007",
            "Rosenberg, Hirschberg: V-measure: a conditional entropy-based external cluster evaluation"
            " measure. EMNLP-CoNLL 2007",
        ),
        Reference(
            "braunblanquet1932",
            "Braun-Blanquet: Plant sociology: the study of plant communities. McGraw-Hill, 1932",
        ),
        Reference(
            "kull2019",
            "Kull, Perello Nieto, Kängsepp, Silva Filho, Song, Flach: Beyond temperature scaling: obtaining"
            " well-calibrated multi-class probabilities with Dirichlet calibration. NeurIPS 2019",
        ),
        Reference(
            "russakovsky2015",
            "Russakovsky and others: ImageNet large scale visual recognition challenge. International J. of"
            " Computer Vision 115, 2015",
            "10.1007/s11263-015-0816-y",
        ),
        Reference(
            "goodman1954",
            "Goodman, Kruskal: Measures of association for cross classifications. JASA 49, 1954",
            "10.1080/01621459.1954.10501231",
        ),
        Reference(
            "gwet2008",
            "Gwet: Computing inter-rater reliability and its variance in the presence of high agreement."
            " British J. Mathematical and Statistical Psychology 61, 2008",
            "10.1348/000711006X126600",
        ),
        Reference(
            "krippendorff2011",
            "Krippendorff: Computing Krippendorff's alpha-reliability. University of Pennsylvania, 2011",
        ),
        Reference(
            "kuhn2008",
            "Kuhn: Building predictive models in R using the caret package. J. Statistical Software 28, 2008",
            "10.18637/jss.v028.i05",
        ),
        Reference(
            "maratea2014",
            "Maratea, Petrosino, Manzo: Adjusted F-measure and kernel scaling for imbalanced data learning."
            " Information Sciences 257, 2014",
            "10.1016/j.ins.2013.04.016",
        ),
        Reference(
            "pearson1900",
            "Pearson: On the criterion that a given system of deviations from the probable ... can be"
            " reasonably supposed to have arisen from random sampling. Philosophical Magazine 50, 1900",
            "10.1080/14786440009463897",
        ),
        Reference(
            "schaefer1990",
            "Schaefer: The critical success index as an indicator of warning skill. Weather and Forecasting"
            " 5, 1990",
            "10.1175/1520-0434(1990)005<0570:TCSIAA>2.0.CO;2",
        ),
        Reference(
            "gosgens2021",
            "Gösgens, Zhiyanov, Tikhonov, Prokhorenkova: Good classification measures and how to find them."
            " Advances in Neural Information Processing Systems 34, 2021",
            "10.48550/arXiv.2201.09044",
        ),
        Reference(
            "scott1955",
            "Scott: Reliability of content analysis: the case of nominal scale coding. Public Opinion"
            " Quarterly 19, 1955",
            "10.1086/266577",
        ),
        Reference(
            "shannon1948",
            "Shannon: A mathematical theory of communication. Bell System Technical Journal 27, 1948",
            "10.1002/j.1538-7305.1948.tb01338.x",
        ),
        Reference(
            "sitarz2023",
            "Sitarz: Extending F1 metric, probabilistic approach. Advances in Artificial Intelligence and"
            " Machine Learning 3, 2023",
            "10.54364/AAIML.2023.1161",
        ),
        Reference(
            "tversky1977",
            "Tversky: Features of similarity. Psychological Review 84, 1977",
            "10.1037/0033-295X.84.4.327",
        ),
        Reference(
            "vijaymeena2016",
            "Vijaymeena, Kavitha: A survey on similarity measures in text mining. Machine Learning and"
            " Applications 3, 2016",
        ),
        Reference(
            "yule1912",
            "Yule: On the methods of measuring association between two attributes. J. Royal Statistical"
            " Society 75, 1912",
            "10.2307/2340126",
        ),
        Reference(
            "altman1994",
            "Altman, Bland: Diagnostic tests 2: predictive values. BMJ 309, 1994",
            "10.1136/bmj.309.6947.102",
        ),
        Reference(
            "good1952",
            "Good: Rational decisions. Journal of the Royal Statistical Society B 14, 1952",
            "10.1111/j.2517-6161.1952.tb00104.x",
        ),
        Reference(
            "brier1950",
            "Brier: Verification of forecasts expressed in terms of probability. Monthly Weather Review"
            " 78, 1950",
            "10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2",
        ),
        Reference(
            "murphy1973",
            "Murphy: A new vector partition of the probability score. Journal of Applied Meteorology 12,"
            " 1973",
            "10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2",
        ),
        Reference(
            "dimitriadis2021",
            "Dimitriadis, Gneiting, Jordan: Stable reliability diagrams for probabilistic classifiers."
            " PNAS 118,"
            " 2021",
            "10.1073/pnas.2016191118",
        ),
        Reference(
            "gneiting2007",
            "Gneiting, Raftery: Strictly proper scoring rules, prediction, and estimation. Journal of the"
            " American"
            " Statistical Association 102, 2007",
            "10.1198/016214506000001437",
        ),
        Reference(
            "naeini2015",
            "Pakdaman Naeini, Cooper, Hauskrecht: Obtaining well calibrated probabilities using Bayesian"
            " binning."
            " AAAI 2015",
            "10.1609/aaai.v29i1.9602",
        ),
        Reference(
            "kumar2019",
            "Kumar, Liang, Ma: Verified uncertainty calibration. NeurIPS 2019",
        ),
        Reference(
            "gupta2021",
            "Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu, Hartley: Calibration of neural networks using"
            " splines."
            " ICLR 2021",
        ),
        Reference(
            "vickers2006",
            "Vickers, Elkin: Decision curve analysis: a novel method for evaluating prediction models."
            " Medical"
            " Decision Making 26, 2006",
            "10.1177/0272989X06295361",
        ),
        Reference(
            "saerens2002",
            "Saerens, Latinne, Decaestecker: Adjusting the outputs of a classifier to new a priori"
            " probabilities: a"
            " simple procedure. Neural Computation 14, 2002",
            "10.1162/089976602753284446",
        ),
    )
}


def cite(key: str, where: str = "") -> Citation:
    """A citation whose key is known; a misspelt key fails at import, not in front of a reader."""
    if key not in REFERENCES:
        raise KeyError(key)
    return Citation(key, where)
